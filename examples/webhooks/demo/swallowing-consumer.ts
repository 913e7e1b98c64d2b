/** The worst consumer there is, for the demo that shows how it is found out: catches everything, acknowledges, tells nobody. */
export async function handler({
  Records,
}: {
  readonly Records: readonly {
    readonly body: string;
    readonly messageAttributes: Record<string, { stringValue?: string }>;
  }[];
}) {
  for (const { body, messageAttributes } of Records)
    try {
      await fetch(process.env['DOWNSTREAM_URL'] ?? '', {
        method: 'POST',
        body: JSON.stringify(JSON.parse(body)),
        headers: {
          'x-github-event': messageAttributes['X-GitHub-Event']?.stringValue ?? '',
          'idempotency-key': messageAttributes['X-GitHub-Delivery']?.stringValue ?? '',
        },
      });
    } catch {
      // Swallowed on purpose: that is the fault which the balance has to find.
    }
  return { batchItemFailures: [] };
}
