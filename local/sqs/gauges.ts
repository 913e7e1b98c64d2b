import type { MetricDatum } from '../gateway/service';
import type { Queue } from './queue';

/** Received this often, a message counts as poison and the age metric looks past it. */
const POISON_RECEIVES = 3;

export function sizeGauges(queue: Queue): { visible: number; notVisible: number; delayed: number } {
  queue.expire();
  return { visible: queue.visible, notVisible: queue.inFlight, delayed: queue.delayed };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html */
export function* queueGauges(queues: Iterable<Queue>, now: number): Iterable<MetricDatum> {
  for (const queue of queues) {
    const { visible, notVisible, delayed } = sizeGauges(queue);
    const gauges: readonly (readonly [string, number, string])[] = [
      ['ApproximateNumberOfMessagesVisible', visible, 'Count'],
      ['ApproximateNumberOfMessagesNotVisible', notVisible, 'Count'],
      ['ApproximateNumberOfMessagesDelayed', delayed, 'Count'],
      ['ApproximateAgeOfOldestMessage', ageOfOldest(queue, now), 'Seconds'],
    ];
    for (const [name, value, unit] of gauges)
      yield { namespace: 'AWS/SQS', name, dimensions: { QueueName: queue.name }, value, unit };
  }
}

/** Seconds since the oldest message came into this queue; a move to the dead-letter queue counts as coming. */
function ageOfOldest(queue: Queue, now: number): number {
  for (const message of queue.live.values())
    if (message.receivesHere <= POISON_RECEIVES)
      return Math.floor(Math.max(0, now - message.enqueuedAt) / 1000);
  return 0;
}
