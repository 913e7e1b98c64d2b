import type { PlanRequest, Selection } from '../../lib/core/redrive-plan';
import { type Invocation, list, numeric, required, text, UsageError } from './command';

export const SELECTION_OPTIONS = {
  all: { type: 'boolean' },
  signature: { type: 'string', multiple: true },
  code: { type: 'string', multiple: true },
  class: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  tenant: { type: 'string', multiple: true },
  id: { type: 'string', multiple: true },
  from: { type: 'string' },
  until: { type: 'string' },
} as const;

export const PLAN_OPTIONS = {
  ...SELECTION_OPTIONS,
  rate: { type: 'string' },
  canary: { type: 'string' },
  soak: { type: 'string' },
  'stop-share': { type: 'string' },
  'stop-failures': { type: 'string' },
  max: { type: 'string' },
  destination: { type: 'string' },
  'include-parked': { type: 'boolean' },
  override: { type: 'string', multiple: true },
  reason: { type: 'string' },
} as const;

export const SELECTION_USAGE =
  '--all | --signature S | --code C | --class permanent|transient|unknown | --type T | --tenant T | --id ID | --from TIME | --until TIME';

function selectionOf(invocation: Invocation): Selection {
  const names = (option: string, field: keyof Selection) => {
    const values = list(invocation, option);
    return values === undefined ? {} : { [field]: values };
  };
  const from = text(invocation, 'from');
  const until = text(invocation, 'until');
  return {
    ...(invocation.values['all'] === true ? { all: true } : {}),
    ...names('signature', 'signatures'),
    ...names('code', 'codes'),
    ...names('class', 'classes'),
    ...names('type', 'messageTypes'),
    ...names('tenant', 'tenants'),
    ...names('id', 'messageIds'),
    ...(from === undefined ? {} : { failedFrom: from }),
    ...(until === undefined ? {} : { failedUntil: until }),
  };
}

/** What the person wants, from the options; what is not given has the plan's default. */
export function planRequestOf(invocation: Invocation, reasonNeeded: boolean): PlanRequest {
  const optional = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value });
  const canary = numeric(invocation, 'canary');
  const share = numeric(invocation, 'stop-share');
  const failures = numeric(invocation, 'stop-failures');
  const reason = text(invocation, 'reason');
  if (reasonNeeded && reason === undefined) throw new UsageError('--reason is missing: what was fixed?');
  const overrides = list(invocation, 'override')?.map((entry) => entry.split(/=(.*)/s).slice(0, 2));
  return {
    queue: required(invocation, 0, 'QUEUE'),
    operator: invocation.operator,
    reason: reason ?? 'a look at what it would do',
    select: selectionOf(invocation),
    ...optional('rate', numeric(invocation, 'rate')),
    ...optional('maximumMessages', numeric(invocation, 'max')),
    ...optional('destination', text(invocation, 'destination')),
    ...(canary === undefined
      ? {}
      : { canary: { size: canary, soakSeconds: numeric(invocation, 'soak') ?? 60 } }),
    ...(share === undefined && failures === undefined
      ? {}
      : { stop: { failureShare: share ?? 0.05, minimumSample: 10, ...optional('failures', failures) } }),
    ...(invocation.values['include-parked'] === true ? { includeParked: true } : {}),
    ...(overrides === undefined ? {} : { overrides: Object.fromEntries(overrides) }),
  };
}
