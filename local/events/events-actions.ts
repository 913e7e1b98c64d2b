import { randomUUID } from 'node:crypto';
import { checkPattern, matches, type Pattern, PatternError } from '../gateway/event-pattern';
import type { Environment } from '../gateway/service';
import type { Rule, Rules } from './rules';
import { readTarget } from './targets';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

/** An error of the API. */
export class EventsError extends Error {
  override readonly name = 'EventsError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
const MAXIMUM_ENTRIES = 10;
const MAXIMUM_BYTES = 262_144;

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Operations.html: events, rules, targets and buses */
export class EventsActions {
  constructor(
    private readonly environment: Environment,
    private readonly rules: Rules,
  ) {}

  PutEvents({ Entries: entries }: Json): Answer {
    const given = (entries ?? []) as Json[];
    if (given.length < 1 || given.length > MAXIMUM_ENTRIES)
      throw new EventsError('ValidationException', `PutEvents takes 1 to ${MAXIMUM_ENTRIES} entries.`);
    if (given.reduce((sum, entry) => sum + sizeOf(entry), 0) > MAXIMUM_BYTES)
      throw new EventsError(
        'ValidationException',
        'Total size of the entries in the request is over the limit.',
      );
    const results = given.map((entry) => this.put(entry));
    return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
  }

  private put(entry: Json): Answer {
    const failed = (ErrorCode: string, ErrorMessage: string): Answer => ({ ErrorCode, ErrorMessage });
    for (const name of ['Source', 'DetailType', 'Detail'])
      if (!entry[name])
        return failed(
          'InvalidArgument',
          `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
        );
    if (String(entry['Source']).startsWith('aws.'))
      return failed('NotAuthorizedForSource', `Not authorized for the source ${String(entry['Source'])}.`);
    const detail = objectOf(String(entry['Detail']));
    if (detail === undefined) return failed('MalformedDetail', 'Detail is malformed.');
    const bus = busOf(entry['EventBusName']);
    if (!this.rules.buses.has(bus)) return failed('InvalidArgument', `Event bus ${bus} does not exist.`);
    return { EventId: this.route(bus, entry, detail) };
  }

  private route(bus: string, entry: Json, detail: unknown): string {
    const { clock, region, account } = this.environment;
    const time = entry['Time'] === undefined ? clock.now() : Number(entry['Time']) * 1000;
    const event = {
      version: '0',
      id: randomUUID(),
      'detail-type': String(entry['DetailType']),
      source: String(entry['Source']),
      account,
      time: `${new Date(time).toISOString().slice(0, 19)}Z`,
      region,
      resources: entry['Resources'] ?? [],
      detail,
    };
    this.environment.emit({
      type: 'events.put',
      at: clock.now(),
      detail: { bus, source: event.source, detailType: event['detail-type'], detail },
    });
    this.rules.route(bus, event);
    return event.id;
  }

  PutRule(given: Json): Answer {
    return { RuleArn: this.rules.put(busOf(given['EventBusName']), String(given['Name']), given).arn };
  }

  DeleteRule(given: Json): Answer {
    const rule = this.rules.get(busOf(given['EventBusName']), String(given['Name']));
    if (rule !== undefined && rule.targets.length > 0)
      throw new EventsError('ValidationException', "Rule can't be deleted since it has targets.");
    if (rule !== undefined) this.rules.remove(rule);
    return {};
  }

  DescribeRule(given: Json): Answer {
    return describe(this.rule(given));
  }

  ListRules(given: Json): Answer {
    const prefix = String(given['NamePrefix'] ?? '');
    const found = this.rules.on(busOf(given['EventBusName'])).filter(({ name }) => name.startsWith(prefix));
    return { Rules: found.map(describe) };
  }

  EnableRule(given: Json): Answer {
    this.rules.replace({ ...this.rule(given), enabled: true });
    return {};
  }

  DisableRule(given: Json): Answer {
    this.rules.replace({ ...this.rule(given), enabled: false });
    return {};
  }

  PutTargets(given: Json): Answer {
    const rule = this.rule(given);
    const added = ((given['Targets'] ?? []) as Json[]).map(readTarget);
    const kept = rule.targets.filter(({ Id }) => added.every((target) => target.Id !== Id));
    this.rules.replace({ ...rule, targets: [...kept, ...added] });
    return { FailedEntryCount: 0, FailedEntries: [] };
  }

  RemoveTargets(given: Json): Answer {
    const rule = this.rule(given);
    const ids = (given['Ids'] ?? []) as string[];
    this.rules.replace({ ...rule, targets: rule.targets.filter(({ Id }) => !ids.includes(Id)) });
    return { FailedEntryCount: 0, FailedEntries: [] };
  }

  ListTargetsByRule(given: Json): Answer {
    return { Targets: this.rule(given).targets };
  }

  TestEventPattern({ EventPattern: pattern, Event: event }: Json): Answer {
    try {
      const asked = JSON.parse(String(pattern)) as Pattern;
      checkPattern(asked);
      return { Result: matches(asked, JSON.parse(String(event))) };
    } catch (error) {
      if (error instanceof PatternError || error instanceof SyntaxError)
        throw new EventsError('InvalidEventPatternException', error.message);
      throw error;
    }
  }

  CreateEventBus({ Name: name }: Json): Answer {
    if (this.rules.buses.has(String(name)))
      throw new EventsError('ResourceAlreadyExistsException', `Event bus ${String(name)} already exists.`);
    this.rules.buses.add(String(name));
    return { EventBusArn: busArn(this.environment, String(name)) };
  }

  DeleteEventBus({ Name: name }: Json): Answer {
    if (this.rules.on(String(name)).length > 0)
      throw new EventsError(
        'ValidationException',
        `Event bus ${String(name)} can't be deleted since it has rules.`,
      );
    if (name !== 'default') this.rules.buses.delete(String(name));
    return {};
  }

  DescribeEventBus({ Name: given }: Json): Answer {
    const name = busOf(given);
    if (!this.rules.buses.has(name))
      throw new EventsError('ResourceNotFoundException', `Event bus ${name} does not exist.`);
    return { Name: name, Arn: busArn(this.environment, name) };
  }

  ListEventBuses(): Answer {
    return {
      EventBuses: [...this.rules.buses].map((Name) => ({ Name, Arn: busArn(this.environment, Name) })),
    };
  }

  private rule(given: Json): Rule {
    const name = String(given['Name'] ?? given['Rule']);
    const rule = this.rules.get(busOf(given['EventBusName']), name);
    if (rule === undefined)
      throw new EventsError('ResourceNotFoundException', `Rule ${name} does not exist.`);
    return rule;
  }
}

/** A name, or the ARN of a bus. */
export function busOf(given: unknown): string {
  const text = given === undefined || given === '' ? 'default' : String(given);
  return text.split('/').at(-1) ?? text;
}

export function busArn({ region, account }: Pick<Environment, 'region' | 'account'>, name: string): string {
  return `arn:aws:events:${region}:${account}:event-bus/${name}`;
}

function describe({ name, arn, bus, pattern, schedule, enabled, description }: Rule): Answer {
  return {
    Name: name,
    Arn: arn,
    EventBusName: bus,
    State: enabled ? 'ENABLED' : 'DISABLED',
    Description: description,
    EventPattern: pattern === undefined ? undefined : JSON.stringify(pattern),
    ScheduleExpression: schedule?.text,
  };
}

function objectOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
function sizeOf({ Source, DetailType, Detail, Resources, Time }: Json): number {
  return [Source, DetailType, Detail, ...((Resources ?? []) as unknown[])].reduce<number>(
    (sum, part) => sum + Buffer.byteLength(String(part ?? '')),
    Time === undefined ? 0 : 14,
  );
}
