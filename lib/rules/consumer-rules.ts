import { finding, type Rule } from './rule';
import { listOf, numberOf, objectOf, type Resource } from './template-model';

const BATCH = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html';
const FILTER = 'https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html';

/** What a consumer's mapping and function do to messages: field rules F14, F16, F35, F48. */
export const CONSUMER_RULES: readonly Rule[] = [
  {
    id: 'NO_PARTIAL_BATCH_RESPONSE',
    severity: 'error',
    what: 'a mapping that does not look at batch item failures',
    why: 'what the function reports as failed is deleted (F16)',
    source: BATCH,
    remedy: 'FunctionResponseTypes: [ReportBatchItemFailures]',
    check: (model) =>
      model
        .mappings()
        .filter(
          ({ properties }) =>
            (properties['FunctionResponseTypes'] === undefined ||
              Array.isArray(properties['FunctionResponseTypes'])) &&
            !listOf(properties['FunctionResponseTypes']).includes('ReportBatchItemFailures') &&
            (numberOf(properties['BatchSize'] ?? 10) ?? 10) > 1,
        )
        .map(({ logicalId }) =>
          finding(logicalId, 'FunctionResponseTypes', 'without ReportBatchItemFailures'),
        ),
  },
  {
    id: 'FUNCTION_DEAD_LETTER_CONFIG',
    severity: 'warning',
    what: 'a dead-letter queue on the function instead of the queue',
    why: 'it catches asynchronous invocations only, and stays empty for ever (F35)',
    source: BATCH,
    remedy: 'a RedrivePolicy on the source queue',
    check: (model) =>
      unique(model.mappings().flatMap((mapping) => model.functionOf(mapping) ?? []))
        .filter(({ properties }) => properties['DeadLetterConfig'] !== undefined)
        .map(({ logicalId }) => finding(logicalId, 'DeadLetterConfig', 'on a consumer of a queue')),
  },
  {
    id: 'CONSUMER_ON_DEAD_LETTER_QUEUE',
    severity: 'warning',
    what: 'a function is fed from a dead-letter queue',
    why: 'a replayer without rate, canary or stop closes the loop that recursion detection cuts (F14)',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html',
    remedy: 'a redrive run',
    check: (model) =>
      model
        .mappings()
        .filter((mapping) => model.deadLetterQueues().includes(model.queueOf(mapping) as Resource))
        .map(({ logicalId }) => finding(logicalId, 'EventSourceArn', 'a dead-letter queue')),
  },
  {
    id: 'RECURSION_ALLOWED',
    severity: 'warning',
    what: 'recursion detection is switched off',
    why: 'a loop runs until somebody sees the bill (F14)',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html',
    remedy: 'RecursiveLoop Terminate',
    check: (model) =>
      model
        .ofType('AWS::Lambda::Function')
        .filter(({ properties }) => properties['RecursiveLoop'] === 'Allow')
        .map(({ logicalId }) => finding(logicalId, 'RecursiveLoop', 'Allow')),
  },
  {
    id: 'TWO_MAPPINGS_COMPETE',
    severity: 'error',
    what: 'two mappings on one queue, one of them with a filter',
    why: 'each deletes what it does not match, and that was for the other (F48)',
    source: FILTER,
    remedy: 'one mapping a queue; SNS or EventBridge to split',
    check: (model) =>
      model.queues().flatMap(({ logicalId }) => {
        const mine = model.mappings().filter((mapping) => model.queueOf(mapping)?.logicalId === logicalId);
        return mine.length > 1 && mine.some(({ properties }) => properties['FilterCriteria'] !== undefined)
          ? [finding(logicalId, 'EventSourceMapping', `${mine.length} mappings, with a filter`)]
          : [];
      }),
  },
  {
    id: 'FILTER_DROPS',
    severity: 'warning',
    what: 'a filter on a queue',
    why: 'SQS deletes what it does not match, also what is not JSON (F48)',
    source: FILTER,
    remedy: 'filter before the queue, or acknowledge that the rest is lost',
    check: (model) =>
      model
        .mappings()
        .filter(({ properties }) => properties['FilterCriteria'] !== undefined)
        .map(({ logicalId }) => finding(logicalId, 'FilterCriteria', 'deletes what it does not match')),
  },
  {
    id: 'FILTER_KEY',
    severity: 'error',
    what: 'a filter that looks at something else than the body',
    why: 'it matches nothing, and everything is deleted (F48)',
    source: FILTER,
    remedy: 'patterns under body',
    check: (model) =>
      model.mappings().flatMap(({ logicalId, properties }) => {
        const filters = listOf<{ readonly Pattern?: unknown }>(
          objectOf(properties['FilterCriteria'])?.['Filters'],
        );
        const wrong = filters
          .flatMap(({ Pattern }) => Object.keys(objectOf(Pattern) ?? {}))
          .find((key) => key !== 'body');
        return wrong === undefined ? [] : [finding(logicalId, 'FilterCriteria', `looks at ${wrong}`)];
      }),
  },
];

function unique(resources: readonly Resource[]): Resource[] {
  return [...new Map(resources.map((resource) => [resource.logicalId, resource])).values()];
}
