import { covers, rightsOf } from './role-statements';
import { finding, type Rule } from './rule';
import type { Resource, TemplateModel } from './template-model';

const RECURSION = 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html';

function maySend(model: TemplateModel, consumer: Resource, queue: Resource): boolean {
  return (rightsOf(model, consumer) ?? []).some(
    (statement) =>
      statement.allow &&
      covers(statement, 'sqs:sendmessage') &&
      statement.resources.some((resource) => model.target(resource) === queue),
  );
}

/** Each mapping whose queue and function are both in sight. */
function feeds(
  model: TemplateModel,
): { readonly queue: Resource; readonly consumer: Resource; readonly mapping: Resource }[] {
  return model.mappings().flatMap((mapping) => {
    const queue = model.queueOf(mapping);
    const consumer = model.functionOf(mapping);
    return queue === undefined || consumer === undefined ? [] : [{ queue, consumer, mapping }];
  });
}

/** Circles of queues and functions: field rule F14. */
export const LOOP_RULES: readonly Rule[] = [
  {
    id: 'CONSUMER_SENDS_TO_SOURCE',
    severity: 'warning',
    what: 'a function may send to the queue that feeds it',
    why: 'Lambda cuts such a loop after about 16 rounds, and the messages go to the dead-letter queue (F14)',
    source: RECURSION,
    remedy: 'delay a message with its visibility timeout; no right to send',
    check: (model) =>
      feeds(model)
        .filter(({ queue, consumer }) => maySend(model, consumer, queue))
        .map(({ queue, consumer }) =>
          finding(consumer.logicalId, 'Role', `sqs:SendMessage on ${queue.logicalId}, which feeds it`),
        ),
  },
  {
    id: 'DEAD_LETTER_LOOP',
    severity: 'error',
    what: 'a function takes from a dead-letter queue and sends to its source',
    why: 'source, dead-letter queue and function are a circle without rate, canary or stop (F14)',
    source: RECURSION,
    remedy: 'a redrive run',
    check: (model) =>
      feeds(model).flatMap(({ queue, consumer }) =>
        model
          .sourcesOf(queue)
          .filter((source) => source !== queue && maySend(model, consumer, source))
          .map((source) =>
            finding(consumer.logicalId, 'Role', `from ${queue.logicalId} back to ${source.logicalId}`),
          ),
      ),
  },
  {
    id: 'MAPPING_TWICE',
    severity: 'error',
    what: 'a function is fed from a queue twice',
    why: 'refused at deploy: the mapping exists already',
    source: 'https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html',
    remedy: 'one mapping for each queue and function',
    check: (model) => {
      const all = feeds(model);
      return all
        .filter(
          ({ queue, consumer }, index) =>
            all.findIndex((other) => other.queue === queue && other.consumer === consumer) < index,
        )
        .map(({ queue, consumer, mapping }) =>
          finding(
            mapping.logicalId,
            'EventSourceArn',
            `${queue.logicalId} feeds ${consumer.logicalId} already`,
          ),
        );
    },
  },
  {
    id: 'MAPPING_DISABLED',
    severity: 'warning',
    what: 'a mapping is switched off',
    why: 'messages wait until they expire; exhausted ones do not even reach the dead-letter queue (F07)',
    source: 'https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html',
    remedy: 'Enabled true, or no mapping',
    check: (model) =>
      model
        .mappings()
        .filter(({ properties }) => properties['Enabled'] === false || properties['Enabled'] === 'false')
        .map(({ logicalId }) => finding(logicalId, 'Enabled', 'false')),
  },
];
