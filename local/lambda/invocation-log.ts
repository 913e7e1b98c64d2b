import type { FunctionConfig } from './function-config';

const MEGABYTE_KB = 1024;

export interface InvocationFigures {
  readonly requestId: string;
  readonly durationMs: number;
  /** Absent: the environment was warm. */
  readonly initMs?: number;
  /** Peak of the process; 0 when it could not tell any more. */
  readonly memoryKb: number;
}

/**
 * The platform's own lines around an invocation, as text or as JSON.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 */
export function startLine({ logFormat }: FunctionConfig, requestId: string, at: string): string {
  return logFormat === 'JSON'
    ? JSON.stringify({ time: at, type: 'platform.start', record: { requestId, version: '$LATEST' } })
    : `START RequestId: ${requestId} Version: $LATEST`;
}

export function endLines(
  config: FunctionConfig,
  figures: InvocationFigures,
  status: string,
  at: string,
): string[] {
  const { requestId, durationMs, initMs, memoryKb } = figures;
  const billed = Math.ceil(durationMs);
  const used = Math.ceil(memoryKb / MEGABYTE_KB);
  if (config.logFormat === 'JSON')
    return [
      JSON.stringify({
        time: at,
        type: 'platform.report',
        record: {
          requestId,
          metrics: {
            durationMs: rounded(durationMs),
            billedDurationMs: billed,
            memorySizeMB: config.memory,
            maxMemoryUsedMB: used,
            ...(initMs === undefined ? {} : { initDurationMs: rounded(initMs) }),
          },
          status,
        },
      }),
    ];
  const parts = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${durationMs.toFixed(2)} ms`,
    `Billed Duration: ${billed} ms`,
    `Memory Size: ${config.memory} MB`,
    `Max Memory Used: ${used} MB`,
    ...(initMs === undefined ? [] : [`Init Duration: ${initMs.toFixed(2)} ms`]),
  ];
  return [`END RequestId: ${requestId}`, parts.join('\t')];
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
