import type { Clock } from '../../local/clock/clock';
import { SimulatedClock } from '../../local/clock/simulated-clock';
import type { Environment } from '../../local/gateway/service';

/** What a service gets, with everything allowed and nobody listening. */
export function fakeEnvironment(
  overrides: Partial<Environment> & { readonly clock?: Clock } = {},
): Environment {
  return {
    clock: new SimulatedClock(),
    account: '123456789012',
    region: 'eu-west-1',
    endpoint: () => 'http://127.0.0.1',
    metrics: { put: () => {}, addSource: () => {} },
    authorize: () => undefined,
    emit: () => {},
    ...overrides,
  };
}
