import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { embeddedMetrics } from './emf';

interface LogEvent {
  readonly timestamp: number;
  readonly stream: string;
  readonly message: string;
}

/** Lines kept for each group; older ones make room. */
const KEPT_LINES = 10_000;
const PAGE = 10_000;

/** CloudWatch Logs: what functions write, readable as on AWS, with embedded metrics taken out. */
export class LogsService implements LocalService {
  readonly signingName = 'logs';
  readonly providers: readonly ResourceProvider[];
  private readonly groups = new Map<string, LogEvent[]>();

  constructor(private readonly environment: Environment) {
    this.providers = [
      {
        type: 'AWS::Logs::LogGroup',
        emulated: ['LogGroupName'],
        ignored: {
          RetentionInDays: `the last ${KEPT_LINES} lines are kept`,
          KmsKeyId: 'nothing is encrypted at rest here',
          LogGroupClass: 'a price class',
          DataProtectionPolicy: 'nothing is masked here',
          DeletionProtectionEnabled: 'log groups are not deleted here',
          Tags: 'tags of log groups are not looked at',
        },
        create: ({ properties, generatedName, account, region }) => {
          const name = String(properties['LogGroupName'] ?? generatedName);
          this.group(name);
          return { ref: name, attributes: { Arn: `arn:aws:logs:${region}:${account}:log-group:${name}:*` } };
        },
      },
    ];
  }

  write(logGroup: string, logStream: string, line: string): void {
    const { clock, metrics } = this.environment;
    const events = this.group(logGroup);
    events.push({ timestamp: clock.now(), stream: logStream, message: line });
    if (events.length > KEPT_LINES) events.splice(0, events.length - KEPT_LINES);
    for (const datum of embeddedMetrics(line)) metrics.put(datum);
    this.environment.emit({ type: 'lambda.log', at: clock.now(), detail: { logGroup, line } });
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Record<string, unknown>;
    const name = String(given['logGroupName'] ?? '');
    const { region, account } = this.environment;
    const refusal = this.environment.authorize({
      identity,
      action: `logs:${operation}`,
      resource: name === '' ? '*' : `arn:aws:logs:${region}:${account}:log-group:${name}:*`,
    });
    if (refusal !== undefined) return refuse(response, 'AccessDeniedException', refusal);
    if (operation === 'DescribeLogGroups') return answer(response, 200, this.describeGroups(given));
    const events = this.groups.get(name);
    if (events === undefined)
      return refuse(response, 'ResourceNotFoundException', 'The specified log group does not exist.');
    if (operation === 'DescribeLogStreams')
      return answer(response, 200, {
        logStreams: [...new Set(events.map(({ stream }) => stream))].map((logStreamName) => ({
          logStreamName,
        })),
      });
    if (operation === 'GetLogEvents' || operation === 'FilterLogEvents')
      return answer(response, 200, {
        events: filtered(events, given).slice(0, Number(given['limit'] ?? PAGE)),
      });
    refuse(response, 'InvalidAction', `The local engine does not emulate the Logs operation '${operation}'.`);
  }

  private describeGroups({ logGroupNamePrefix: prefix = '' }: Record<string, unknown>): object {
    const names = [...this.groups.keys()].filter((name) => name.startsWith(String(prefix)));
    return { logGroups: names.sort().map((logGroupName) => ({ logGroupName })) };
  }

  private group(name: string): LogEvent[] {
    const known = this.groups.get(name) ?? [];
    this.groups.set(name, known);
    return known;
  }
}

/** A filter pattern counts as plain text here. */
function filtered(events: readonly LogEvent[], given: Record<string, unknown>): object[] {
  const pattern = String(given['filterPattern'] ?? '').replace(/^"(.*)"$/, '$1');
  const stream = given['logStreamName'];
  const from = Number(given['startTime'] ?? 0);
  const until = Number(given['endTime'] ?? Number.POSITIVE_INFINITY);
  return events
    .filter(
      (event) =>
        event.message.includes(pattern) &&
        event.timestamp >= from &&
        event.timestamp < until &&
        (stream === undefined || event.stream === stream),
    )
    .map(({ timestamp, stream: logStreamName, message }) => ({
      timestamp,
      ingestionTime: timestamp,
      logStreamName,
      message,
    }));
}

export function createLogs(environment: Environment): LogsService {
  return new LogsService(environment);
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
