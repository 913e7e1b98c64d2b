import { ResourceError } from '../cloudformation/resource-provider';
import { filterFault } from './filters';
import { functionNameOf } from './function-config';

type Properties = Readonly<Record<string, unknown>>;

/** An SQS event source mapping as it is set up. */
export interface MappingConfig {
  readonly uuid: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** Seconds. */
  readonly window: number;
  readonly maximumConcurrency?: number;
  readonly reportsItemFailures: boolean;
  /** Patterns as JSON text. */
  readonly filters: readonly string[];
  readonly enabled: boolean;
}

const FIFO_BATCH = 10;
const MOST_CONCURRENCY = 1_000;

/**
 * The rules that AWS checks when a mapping is created or changed. The visibility timeout is compared with the
 * function's timeout at creation only: pass `undefined` later, as an edit is known to slip through.
 * https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
export function checkMapping(
  config: MappingConfig,
  queue: { readonly fifo: boolean; readonly visibilitySeconds: number } | undefined,
  functionTimeout: number | undefined,
): void {
  if (queue === undefined) throw new ResourceError('EventSourceArn', 'The specified queue does not exist.');
  if (functionTimeout !== undefined && queue.visibilitySeconds < functionTimeout)
    throw new ResourceError(
      'EventSourceArn',
      `Queue visibility timeout: ${queue.visibilitySeconds} seconds is less than Function timeout: ${functionTimeout} seconds`,
    );
  const most = queue.fifo ? FIFO_BATCH : 10_000;
  if (!Number.isInteger(config.batchSize) || config.batchSize < 1 || config.batchSize > most)
    throw new ResourceError(
      'BatchSize',
      `must be from 1 to ${most} on this queue, and is ${config.batchSize}`,
    );
  if (queue.fifo && config.window > 0)
    throw new ResourceError(
      'MaximumBatchingWindowInSeconds',
      'Batching window is not supported for FIFO queues.',
    );
  if (config.window < 0 || config.window > 300)
    throw new ResourceError(
      'MaximumBatchingWindowInSeconds',
      `must be from 0 to 300, and is ${config.window}`,
    );
  if (config.batchSize > 10 && config.window < 1)
    throw new ResourceError(
      'MaximumBatchingWindowInSeconds',
      'Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10',
    );
  const { maximumConcurrency } = config;
  if (
    maximumConcurrency !== undefined &&
    !(maximumConcurrency >= 2 && maximumConcurrency <= MOST_CONCURRENCY)
  )
    throw new ResourceError(
      'ScalingConfig',
      `MaximumConcurrency must be at least 2 and at most ${MOST_CONCURRENCY}, and is ${maximumConcurrency}`,
    );
  const fault = filterFault(config.filters);
  if (fault !== undefined) throw new ResourceError('FilterCriteria', fault);
}

/** From the properties of the resource, or the parameters of CreateEventSourceMapping: they have the same names. */
export function mappingOf(uuid: string, properties: Properties): MappingConfig {
  const scaling = (properties['ScalingConfig'] as Properties | undefined)?.['MaximumConcurrency'];
  const filters = ((properties['FilterCriteria'] as Properties | undefined)?.['Filters'] ??
    []) as Properties[];
  return {
    uuid,
    queueArn: String(properties['EventSourceArn']),
    functionName: functionNameOf(String(properties['FunctionName'])),
    batchSize: Number(properties['BatchSize'] ?? 10),
    window: Number(properties['MaximumBatchingWindowInSeconds'] ?? 0),
    reportsItemFailures: ((properties['FunctionResponseTypes'] ?? []) as string[]).includes(
      'ReportBatchItemFailures',
    ),
    filters: filters.map(({ Pattern }) => String(Pattern)),
    enabled: String(properties['Enabled'] ?? true) === 'true',
    ...(scaling === undefined ? {} : { maximumConcurrency: Number(scaling) }),
  };
}

/** What UpdateEventSourceMapping leaves of a mapping; an empty ScalingConfig or FilterCriteria takes it away. */
export function changedMapping(config: MappingConfig, given: Properties): MappingConfig {
  const { maximumConcurrency: _, ...kept } = config;
  const after = mappingOf(config.uuid, {
    EventSourceArn: config.queueArn,
    FunctionName: config.functionName,
    BatchSize: config.batchSize,
    MaximumBatchingWindowInSeconds: config.window,
    Enabled: config.enabled,
    FunctionResponseTypes: config.reportsItemFailures ? ['ReportBatchItemFailures'] : [],
    FilterCriteria: { Filters: config.filters.map((Pattern) => ({ Pattern })) },
    ScalingConfig: { MaximumConcurrency: config.maximumConcurrency },
    ...given,
  });
  return { ...kept, ...after };
}
