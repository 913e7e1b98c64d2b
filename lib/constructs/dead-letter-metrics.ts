import type { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** The visible gauge with statistic Maximum: a sum would count a message once a minute (field rules F28 to F30). */
export function depth(queue: IQueue, period: Duration): cloudwatch.Metric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period });
}

/** Moves by a redrive policy count in no metric of SQS: what arrives is seen by the change of the depth. */
export function arrivals(deadLetterQueue: IQueue, period: Duration): cloudwatch.MathExpression {
  return new cloudwatch.MathExpression({
    expression: 'DIFF(FILL(depth, REPEAT))',
    usingMetrics: { depth: depth(deadLetterQueue, period) },
    period,
    label: 'arrivals',
  });
}

export function oldestAge(queue: IQueue, period: Duration): cloudwatch.Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period });
}

export function done(queue: IQueue, period: Duration): cloudwatch.Metric {
  return queue.metricNumberOfMessagesDeleted({ statistic: 'Sum', period });
}

/** What the redrive engine says of the runs of a queue, when each ends. */
export function runMetric(queueName: string, metricName: string, period: Duration): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'Redrive/Run',
    metricName,
    dimensionsMap: { queue: queueName },
    statistic: 'Sum',
    period,
  });
}

/** What a consumer with the library says of its batches. */
export function consumerMetric(
  queueName: string,
  consumer: string,
  metricName: string,
  period: Duration,
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'Redrive/Consumer',
    metricName,
    dimensionsMap: { queue: queueName, consumer },
    statistic: 'Sum',
    period,
  });
}
