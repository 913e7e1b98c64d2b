import { describe, expect, it } from 'vitest';
import { judge, type MissingData } from '../../../local/cloudwatch/missing-data';

const TREATMENTS: readonly MissingData[] = ['missing', 'ignore', 'breaching', 'notBreaching'];

/** `0` is within the threshold, `X` breaches, `-` is missing; oldest first. */
function judged(range: string, datapointsToAlarm: number): (string | undefined)[] {
  const points = range.split(' ').map((mark) => (mark === '-' ? undefined : mark === 'X'));
  return TREATMENTS.map((treatMissingData) =>
    judge(points, { evaluationPeriods: 3, datapointsToAlarm, treatMissingData }),
  );
}

const KEPT = undefined;

/** The tables of https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html */
describe('an alarm over gaps', () => {
  it.each([
    ['0 - X - X', ['OK', 'OK', 'OK', 'OK']],
    ['0 - - - -', ['OK', 'OK', 'OK', 'OK']],
    ['- - - - -', ['INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK']],
    ['0 X X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['- - X - -', ['ALARM', KEPT, 'ALARM', 'OK']],
  ])('needs three of three: %s', (range, states) => {
    expect(judged(range, 3)).toEqual(states);
  });

  it.each([
    ['0 - X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['0 0 X 0 X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['0 - X - -', ['OK', 'OK', 'ALARM', 'OK']],
    ['- - - - 0', ['OK', 'OK', 'ALARM', 'OK']],
    ['- - - X -', ['ALARM', KEPT, 'ALARM', 'OK']],
  ])('needs two of three: %s', (range, states) => {
    expect(judged(range, 2)).toEqual(states);
  });

  it.each(['- - - - X', '- - - X -'])(
    'waits for what comes next before it goes off on one breach: %s',
    (range) => {
      expect(judged(range, 3)[0]).toBe(KEPT);
    },
  );
});
