export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

/**
 * Periods that an alarm looks at beyond its evaluation periods, to fill gaps with older data. AWS does not say how
 * many it takes; its tables show five for three evaluation periods.
 */
export const EXTRA_PERIODS = 2;

export interface MissingDataRules {
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: MissingData;
}

/**
 * What an alarm becomes; undefined keeps the state. `range` says for each period, oldest first, whether its value
 * breaches, or undefined where there is none.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function judge(
  range: readonly (boolean | undefined)[],
  { evaluationPeriods, datapointsToAlarm, treatMissingData }: MissingDataRules,
): AlarmState | undefined {
  const present = range.filter((breaching) => breaching !== undefined).slice(-evaluationPeriods);
  const breaching = present.filter(Boolean).length;
  const lacking = evaluationPeriods - present.length;
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (lacking === 0) return 'OK';
  if (treatMissingData === 'breaching') return breaching + lacking >= datapointsToAlarm ? 'ALARM' : 'OK';
  if (treatMissingData === 'notBreaching') return 'OK';
  if (breaching < present.length) return 'OK';
  if (treatMissingData === 'ignore') return undefined;
  if (present.length === 0) return 'INSUFFICIENT_DATA';
  // What comes next may still be good, unless the oldest breach has waited long enough for it.
  const age = range.length - range.indexOf(true);
  return age >= datapointsToAlarm ? 'ALARM' : undefined;
}
