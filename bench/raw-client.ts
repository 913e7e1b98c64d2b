import { Agent, request } from 'node:http';

/** A client that costs little, so that the server is what is measured. */
export class RawClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly url: URL;

  constructor(
    endpoint: string,
    private readonly service: string,
    private readonly prefix: string,
  ) {
    this.url = new URL(endpoint);
  }

  call(operation: string, body: object): Promise<Record<string, unknown>> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const call = request(
        {
          host: this.url.hostname,
          port: this.url.port,
          method: 'POST',
          path: '/',
          agent: this.agent,
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'content-length': Buffer.byteLength(text),
            'x-amz-target': `${this.prefix}.${operation}`,
            'x-amz-date': '20260105T090000Z',
            authorization: `AWS4-HMAC-SHA256 Credential=bench/20260105/eu-west-1/${this.service}/aws4_request, SignedHeaders=host, Signature=0`,
          },
        },
        (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            answer += chunk;
          });
          response.on('end', () =>
            response.statusCode === 200
              ? resolve(JSON.parse(answer || '{}'))
              : reject(new Error(`${operation}: ${response.statusCode} ${answer}`)),
          );
        },
      );
      call.on('error', reject);
      call.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** How often a second `work` ends, with `lanes` side by side. */
export async function perSecond(
  lanes: number,
  milliseconds: number,
  work: () => Promise<number>,
): Promise<number> {
  const begun = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (performance.now() - begun < milliseconds) done += await work();
    }),
  );
  return done / ((performance.now() - begun) / 1000);
}
