import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { embeddedMetrics } from './emf';
import { LogGroup } from './log-group';
import { LogPatternError } from './log-pattern';
import { filterLogEvents, getLogEvents } from './log-queries';
import type { MetricFilter } from './metric-filter';
import { logProviders } from './providers';

type Given = Readonly<Record<string, unknown>>;

/** CloudWatch Logs: what functions write, readable as on AWS, with embedded metrics taken out. */
export class LogsService implements LocalService {
  readonly signingName = 'logs';
  readonly providers: readonly ResourceProvider[] = logProviders(this);
  private readonly groups = new Map<string, LogGroup>();
  private readonly filters = new Map<string, MetricFilter[]>();

  constructor(private readonly environment: Environment) {}

  write(logGroup: string, logStream: string, line: string): void {
    const { clock, metrics } = this.environment;
    this.group(logGroup).write(clock.now(), logStream, line);
    for (const datum of embeddedMetrics(line)) metrics.put(datum);
    for (const filter of this.filters.get(logGroup) ?? [])
      for (const datum of filter.measure(line)) metrics.put(datum);
    this.environment.emit({ type: 'lambda.log', at: clock.now(), detail: { logGroup, logStream, line } });
  }

  /** The group of that name; it is made when there is none. */
  group(name: string): LogGroup {
    let group = this.groups.get(name);
    if (group === undefined) {
      group = new LogGroup(name, this.environment.clock.now());
      this.groups.set(name, group);
    }
    return group;
  }

  addFilter(filter: MetricFilter): void {
    const known = this.filters.get(filter.logGroup) ?? [];
    this.filters.set(filter.logGroup, [...known, filter]);
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Given;
    const name = nameIn(given);
    const refusal = this.environment.authorize({
      identity,
      action: `logs:${operation}`,
      resource: name === '' ? '*' : `${this.arnOf(name)}:*`,
    });
    if (refusal !== undefined) return refuse(response, 'AccessDeniedException', refusal);
    if (operation === 'DescribeLogGroups') return answer(response, 200, this.describeGroups(given));
    const run = {
      DescribeLogStreams: describeStreams,
      GetLogEvents: getLogEvents,
      FilterLogEvents: filterLogEvents,
    }[operation];
    if (run === undefined)
      return refuse(
        response,
        'InvalidAction',
        `The local engine does not emulate the Logs operation '${operation}'.`,
      );
    const group = this.groups.get(name);
    if (group === undefined)
      return refuse(response, 'ResourceNotFoundException', 'The specified log group does not exist.');
    try {
      answer(response, 200, run(group, given));
    } catch (error) {
      if (!(error instanceof LogPatternError)) throw error;
      refuse(response, 'InvalidParameterException', `Invalid filter pattern: ${error.message}`);
    }
  }

  private arnOf(name: string): string {
    const { region, account } = this.environment;
    return `arn:aws:logs:${region}:${account}:log-group:${name}`;
  }

  private describeGroups({ logGroupNamePrefix = '', logGroupNamePattern = '' }: Given): object {
    const groups = [...this.groups.values()].filter(
      ({ name }) => name.startsWith(String(logGroupNamePrefix)) && name.includes(String(logGroupNamePattern)),
    );
    return {
      logGroups: groups
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, createdAt }) => ({
          logGroupName: name,
          creationTime: createdAt,
          arn: `${this.arnOf(name)}:*`,
          logGroupArn: this.arnOf(name),
        })),
    };
  }
}

export function createLogs(environment: Environment): LogsService {
  return new LogsService(environment);
}

/** By name, or by ARN as `logGroupIdentifier` may have it. */
function nameIn({ logGroupName, logGroupIdentifier }: Given): string {
  return String(logGroupName ?? logGroupIdentifier ?? '').replace(/^arn:.*:log-group:([^:]+).*$/, '$1');
}

function describeStreams(group: LogGroup, given: Given): object {
  const prefix = String(given['logStreamNamePrefix'] ?? '');
  const streams = [...group.streams()]
    .filter(([logStreamName]) => logStreamName.startsWith(prefix))
    .map(([logStreamName, { first, last }]) => ({
      logStreamName,
      creationTime: first,
      firstEventTimestamp: first,
      lastEventTimestamp: last,
      lastIngestionTime: last,
    }));
  if (given['orderBy'] === 'LastEventTime')
    streams.sort((a, b) => a.lastEventTimestamp - b.lastEventTimestamp);
  else streams.sort((a, b) => (a.logStreamName < b.logStreamName ? -1 : 1));
  if (given['descending'] === true) streams.reverse();
  return { logStreams: streams.slice(0, Number(given['limit'] ?? streams.length)) };
}

function refuse(response: ServerResponse, code: string, message: string): void {
  answer(response, 400, { __type: code, message });
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}
