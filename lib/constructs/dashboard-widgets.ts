import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { arrivals, depth, done, oldestAge, runMetric } from './dead-letter-metrics';
import type { IRecoverableQueue } from './recoverable-queue-interface';

const MINUTE = Duration.minutes(1);
const FIVE = Duration.minutes(5);
const HOUR_SECONDS = 3_600;
/** Width of a dashboard in grid units. */
const WIDTH = 24;
const RED = cloudwatch.Color.RED;
const ORANGE = cloudwatch.Color.ORANGE;
const GREEN = cloudwatch.Color.GREEN;

/** One row a queue: who answers, how much, how old, what of it, and what redrives did. */
export function queueRows(queue: IRecoverableQueue): cloudwatch.IWidget[][] {
  return [
    [header(queue)],
    [now(queue), flow(queue), ages(queue)],
    [causes(queue), redriven(queue), health(queue)],
  ];
}

/** All queues side by side: the first look of the person on call. */
export function overviewRow(queues: readonly IRecoverableQueue[]): cloudwatch.IWidget[] {
  const each = (metricOf: (queue: IRecoverableQueue) => cloudwatch.IMetric): cloudwatch.IMetric[] =>
    queues.map((queue) => labelled(metricOf(queue), queue.queueName));
  return [
    new cloudwatch.GraphWidget({
      title: 'Dead letters by queue',
      width: WIDTH / 2,
      left: each(({ deadLetterQueue }) => depth(deadLetterQueue, MINUTE)),
      leftYAxis: { min: 0, showUnits: false },
      stacked: true,
    }),
    new cloudwatch.GraphWidget({
      title: 'Oldest dead letter by queue, hours',
      width: WIDTH / 2,
      left: queues.map((queue, index) => hours(queue, { id: `age${index}` })),
      leftYAxis: { min: 0, showUnits: false },
    }),
  ];
}

function header(queue: IRecoverableQueue): cloudwatch.IWidget {
  const { queueName, owner, runbookUrl } = queue;
  return new cloudwatch.TextWidget({
    width: WIDTH,
    height: 2,
    markdown: [
      `## ${queueName}`,
      [
        `Owner: **${owner}**`,
        ...(runbookUrl === undefined ? [] : [`[Runbook](${runbookUrl})`]),
        `\`npx redrive groups ${queueName}\``,
        `\`npx redrive runs ${queueName}\``,
      ].join(' · '),
    ].join('\n'),
  });
}

function now({ deadLetterQueue, sourceQueue }: IRecoverableQueue): cloudwatch.IWidget {
  return new cloudwatch.SingleValueWidget({
    title: 'Now',
    width: 6,
    height: 6,
    metrics: [
      depth(deadLetterQueue, MINUTE).with({ label: 'dead letters' }),
      labelled(arrivals(deadLetterQueue, MINUTE), 'arrivals a minute'),
      depth(sourceQueue, MINUTE).with({ label: 'waiting in the source queue' }),
    ],
  });
}

function flow({ deadLetterQueue, sourceQueue }: IRecoverableQueue): cloudwatch.IWidget {
  return new cloudwatch.GraphWidget({
    title: 'Dead letters, and messages done a minute',
    width: 9,
    height: 6,
    left: [
      depth(deadLetterQueue, MINUTE).with({ label: 'dead letters', color: RED }),
      labelled(arrivals(deadLetterQueue, MINUTE), 'arrivals', ORANGE),
    ],
    right: [done(sourceQueue, MINUTE).with({ label: 'done', color: GREEN })],
    leftYAxis: { min: 0, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
  });
}

/** CloudWatch knows the age of the oldest message alone; the bands show in which class it is. */
function ages(queue: IRecoverableQueue): cloudwatch.IWidget {
  const { deadLetterQueue, retentionPeriod, deadLetterRetentionPeriod } = queue;
  const used = deadLetterQueue.fifo ? 0 : retentionPeriod.toSeconds();
  const expiry = Math.round((deadLetterRetentionPeriod.toSeconds() - used) / HOUR_SECONDS);
  return new cloudwatch.GraphWidget({
    title: 'Oldest message, hours',
    width: 9,
    height: 6,
    left: [hours(queue, { id: 'age', label: 'dead letters', color: RED })],
    right: [oldestAge(queue.sourceQueue, MINUTE).with({ label: 'source queue, seconds', color: GREEN })],
    leftYAxis: { min: 0, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
    leftAnnotations: [
      { value: 1, label: '1 h', color: GREEN },
      { value: 24, label: '24 h', color: ORANGE },
      { value: expiry, label: 'the first may expire', color: RED },
    ],
  });
}

/** In per cent of all failures of the shown time. */
function causes({ queueName }: IRecoverableQueue): cloudwatch.IWidget {
  return new cloudwatch.GraphWidget({
    title: 'Failures by code',
    width: 6,
    height: 6,
    view: cloudwatch.GraphWidgetView.PIE,
    setPeriodToTimeRange: true,
    left: [
      search(
        `{Redrive/Consumer,queue,consumer,code} queue="${queueName}" MetricName="Failures"`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in.
        "${PROP('Dim.code')}",
      ),
    ],
  });
}

function redriven({ queueName }: IRecoverableQueue): cloudwatch.IWidget {
  const total = (name: string, label: string, color?: string): cloudwatch.IMetric =>
    runMetric(queueName, name, Duration.days(1)).with({ label, ...(color === undefined ? {} : { color }) });
  return new cloudwatch.SingleValueWidget({
    title: 'Redriven in the last day',
    width: 9,
    height: 6,
    metrics: [
      total('Selected', 'selected'),
      total('Succeeded', 'succeeded', GREEN),
      total('Returned', 'returned', RED),
      total('Discarded', 'discarded'),
      total('Parked', 'parked', ORANGE),
    ],
  });
}

function health({ queueName, consumers }: IRecoverableQueue): cloudwatch.IWidget {
  const counted = (name: string, label: string): cloudwatch.IMetric =>
    new cloudwatch.MathExpression({
      expression: `SUM(SEARCH('{Redrive/Consumer,queue,consumer} queue="${queueName}" MetricName="${name}"', 'Sum', 300))`,
      label,
      period: FIVE,
    });
  return new cloudwatch.GraphWidget({
    title: 'Consumers',
    width: 9,
    height: 6,
    left: [
      counted('Succeeded', 'succeeded'),
      counted('Retried', 'tried again'),
      counted('Isolated', 'isolated'),
      counted('Duplicates', 'duplicates'),
    ],
    right: consumers.flatMap((consumer) => [
      consumer.metricThrottles({ statistic: 'Sum', period: FIVE, label: `throttles ${consumer.node.id}` }),
      consumer.metricErrors({ statistic: 'Sum', period: FIVE, label: `errors ${consumer.node.id}` }),
    ]),
    leftYAxis: { min: 0, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
  });
}

interface Look {
  /** Of the metric behind the line; its own in each graph. */
  readonly id: string;
  readonly label?: string;
  readonly color?: string;
}

function hours(
  { deadLetterQueue, queueName }: IRecoverableQueue,
  { id, label, color }: Look,
): cloudwatch.IMetric {
  return new cloudwatch.MathExpression({
    expression: `${id} / ${HOUR_SECONDS}`,
    usingMetrics: { [id]: oldestAge(deadLetterQueue, MINUTE) },
    period: MINUTE,
    label: label ?? queueName,
    ...(color === undefined ? {} : { color }),
  });
}

function search(terms: string, label: string): cloudwatch.IMetric {
  return new cloudwatch.MathExpression({ expression: `SEARCH('${terms}', 'Sum', 300)`, label, period: FIVE });
}

function labelled(metric: cloudwatch.IMetric, label: string, color?: string): cloudwatch.IMetric {
  const look = { label, ...(color === undefined ? {} : { color }) };
  return metric instanceof cloudwatch.Metric || metric instanceof cloudwatch.MathExpression
    ? metric.with(look)
    : metric;
}
