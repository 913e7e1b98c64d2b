import type { AlarmConfig } from './alarm';
import type { AlarmState } from './missing-data';

export interface RecentPoint {
  readonly at: number;
  readonly value: number | undefined;
  readonly breaching: boolean | undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: 'greater than or equal to the threshold',
  GreaterThanThreshold: 'greater than the threshold',
  LessThanThreshold: 'less than the threshold',
  LessThanOrEqualToThreshold: 'less than or equal to the threshold',
  LessThanLowerOrGreaterThanUpperThreshold: 'outside the band',
  LessThanLowerThreshold: 'less than the lower edge of the band',
  GreaterThanUpperThreshold: 'greater than the upper edge of the band',
};

/** The reason of a state, in the words of AWS. `recent` is the evaluation range, oldest first. */
export function reasonOf(
  config: AlarmConfig,
  state: AlarmState | undefined,
  recent: readonly RecentPoint[],
): string {
  const { evaluationPeriods, datapointsToAlarm, comparison, threshold, treatMissingData } = config;
  const present = recent.filter(({ breaching }) => breaching !== undefined).slice(-evaluationPeriods);
  const lacking = evaluationPeriods - present.length;
  if (state === 'INSUFFICIENT_DATA' || state === undefined)
    return `Insufficient Data: ${counted(lacking, 'datapoint')} ${lacking === 1 ? 'was' : 'were'} unknown.`;
  const treated = treatMissingData === 'breaching' ? '[Breaching]' : '[NonBreaching]';
  const missing = `${counted(lacking, 'missing datapoint')} ${lacking === 1 ? 'was' : 'were'} treated as ${treated}`;
  if (present.length === 0)
    return `Threshold Crossed: no datapoints were received for ${counted(evaluationPeriods, 'period')} and ${missing}.`;
  const breaching = state === 'ALARM';
  const decisive = present.filter((point) => point.breaching === breaching);
  const shown = decisive.map(({ value, at }) => `${decimal(value ?? 0)} (${day(at)})`).join(', ');
  const limit = config.thresholdMetricId === undefined ? ` (${decimal(threshold)})` : '';
  const needed = breaching
    ? `(minimum ${counted(datapointsToAlarm, 'datapoint')} for OK -> ALARM transition)`
    : `(minimum ${counted(evaluationPeriods - datapointsToAlarm + 1, 'datapoint')} for ALARM -> OK transition)`;
  return (
    `Threshold Crossed: ${decisive.length} out of the last ${counted(evaluationPeriods, 'datapoint')} [${shown}] ` +
    `${decisive.length === 1 ? 'was' : 'were'} ${breaching ? '' : 'not '}${WORDS[comparison]}${limit} ${needed}` +
    `${lacking > 0 && ['breaching', 'notBreaching'].includes(treatMissingData) ? `; ${missing}` : ''}.`
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** `05/01/26 09:00:00`. */
function day(at: number): string {
  const text = new Date(at).toISOString();
  return `${text.slice(8, 10)}/${text.slice(5, 7)}/${text.slice(2, 4)} ${text.slice(11, 19)}`;
}
