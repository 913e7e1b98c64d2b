import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { Gateway } from '../../../local/gateway/gateway';
import { Identities } from '../../../local/gateway/identities';
import type { EngineEvent, MetricDatum } from '../../../local/gateway/service';
import type { FunctionConfig } from '../../../local/lambda/function-config';
import { createLambda, type LambdaService } from '../../../local/lambda/lambda';
import type { MappingConfig } from '../../../local/lambda/mapping-config';
import { createLogs } from '../../../local/logs/logs';
import { createSqs, type SqsService } from '../../../local/sqs/sqs';
import { fakeEnvironment } from '../fake-environment';

const ROLE = 'arn:aws:iam::123456789012:role/consumer';
let folder: string;
let clock: SimulatedClock;
let gateway: Gateway;
let lambda: LambdaService;
let sqs: SqsService;
let client: LambdaClient;
let metrics: MetricDatum[];
let events: EngineEvent[];
let allowed: (action: string) => boolean;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'redrive-lambda-'));
  clock = new SimulatedClock();
  metrics = [];
  events = [];
  allowed = () => true;
  const identities = new Identities();
  gateway = new Gateway({ clock, identities });
  await gateway.listen();
  const environment = fakeEnvironment({
    clock,
    endpoint: () => gateway.endpoint(),
    metrics: { put: (datum) => metrics.push(datum), addSource: () => {} },
    emit: (event) => events.push(event),
    authorize: ({ action }) => (allowed(action) ? undefined : `no ${action}`),
  });
  sqs = createSqs(environment);
  lambda = createLambda(environment, {
    queues: sqs,
    logs: createLogs(environment),
    credentialsFor: (roleArn) => identities.credentialsFor(roleArn),
    sdkFolder: path.resolve(__dirname, '../../../node_modules'),
  });
  gateway.register(sqs);
  gateway.register(lambda);
  client = new LambdaClient({
    endpoint: gateway.endpoint(),
    region: 'eu-west-1',
    credentials: { accessKeyId: 'person', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
  await lambda.start();
});
afterEach(async () => {
  client.destroy();
  await lambda.stop();
  sqs.stop();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

function deploy(name: string, code: string, more: Partial<FunctionConfig> & { file?: string } = {}): void {
  const codeFolder = path.join(folder, name);
  mkdirSync(codeFolder, { recursive: true });
  writeFileSync(path.join(codeFolder, more.file ?? 'index.js'), code);
  lambda.create({
    name,
    arn: `arn:aws:lambda:eu-west-1:123456789012:function:${name}`,
    roleArn: ROLE,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    codeFolder,
    memory: 128,
    timeout: 5,
    environment: {},
    logGroup: `/aws/lambda/${name}`,
    logFormat: 'Text',
    description: '',
    ...more,
  });
}

async function invoke(
  name: string,
  payload: unknown = {},
): Promise<{ value: unknown; error?: string; log: string }> {
  const { Payload, FunctionError, LogResult } = await client.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(payload), LogType: 'Tail' }),
  );
  return {
    value: JSON.parse(Buffer.from(Payload ?? []).toString('utf8')),
    ...(FunctionError === undefined ? {} : { error: FunctionError }),
    log: Buffer.from(LogResult ?? '', 'base64').toString('utf8'),
  };
}

describe('an invocation', () => {
  it('runs CommonJS and ES module handlers and answers their value', async () => {
    deploy('cjs', 'exports.handler = async (event) => ({ got: event.a });');
    deploy('esm', 'export const handler = async (event) => ({ got: event.a });', { file: 'index.mjs' });
    deploy(
      'callback',
      'exports.handler = (event, context, callback) => callback(null, context.functionName);',
      { runtime: 'nodejs22.x' },
    );
    expect((await invoke('cjs', { a: 1 })).value).toEqual({ got: 1 });
    expect((await invoke('esm', { a: 2 })).value).toEqual({ got: 2 });
    expect((await invoke('callback')).value).toBe('callback');
  });

  it('gives the handler the time of the engine, and nothing of this process', async () => {
    deploy(
      'env',
      'exports.handler = async () => ({ now: Date.now(), home: process.env.HOME, dead: process.env.AWS_ENDPOINT_URL, sqs: process.env.AWS_ENDPOINT_URL_SQS });',
    );
    await clock.advance(86_400_000);
    const { value } = await invoke('env');
    expect(value).toMatchObject({ dead: 'http://127.0.0.1:9', sqs: gateway.endpoint() });
    expect(value).not.toHaveProperty('home');
    const { now } = value as { now: number };
    expect(now - clock.now()).toBeGreaterThanOrEqual(0);
    expect(now - clock.now()).toBeLessThan(5_000);
  });

  it('reuses an environment, and starts another for a concurrent call', async () => {
    deploy(
      'count',
      'let n = 0; exports.handler = async () => { await new Promise((r) => setTimeout(r, 50)); return ++n; };',
    );
    expect((await invoke('count')).value).toBe(1);
    expect((await invoke('count')).value).toBe(2);
    const both = await Promise.all([invoke('count'), invoke('count')]);
    expect(both.map(({ value }) => value).sort()).toEqual([1, 3]);
  });

  it.each([
    ['throws', 'exports.handler = async () => { throw new TypeError("bad"); };', 'TypeError', 'bad'],
    ['throws-text', 'exports.handler = async () => { throw "text"; };', 'string', 'text'],
    ['exits', 'exports.handler = async () => process.exit(7);', 'Runtime.ExitError', 'exit status 7'],
    ['missing', 'exports.other = 1;', 'Runtime.HandlerNotFound', 'undefined or not exported'],
    [
      'import',
      'require("no-such-module"); exports.handler = 1;',
      'Runtime.ImportModuleError',
      'no-such-module',
    ],
    [
      'slow',
      'exports.handler = () => new Promise(() => setInterval(() => {}, 1000));',
      'Sandbox.Timedout',
      'timed out after 1.00',
    ],
    [
      'huge',
      'exports.handler = async () => "x".repeat(6.1 * 1024 * 1024);',
      'Function.ResponseSizeTooLarge',
      'exceeded',
    ],
  ])('reports a handler that %s', async (name, code, errorType, message) => {
    deploy(name, code, name === 'slow' ? { timeout: 1 } : {});
    const { value, error } = await invoke(name);
    expect(error).toBe('Unhandled');
    expect(value).toMatchObject({ errorType, errorMessage: expect.stringContaining(message) });
  });

  it('keeps the log, and takes embedded metrics out of it', async () => {
    const line = JSON.stringify({
      _aws: {
        Timestamp: 0,
        CloudWatchMetrics: [
          { Namespace: 'N', Dimensions: [['q']], Metrics: [{ Name: 'Done', Unit: 'Count' }] },
        ],
      },
      q: 'orders',
      Done: 3,
    });
    deploy(
      'log',
      `exports.handler = async () => { console.log('hello'); process.stdout.write(${JSON.stringify(`${line}\n`)}); };`,
    );
    const { log } = await invoke('log');
    expect(log).toMatch(/START RequestId: .*\n.*\tINFO\thello\n(.*\n)*END RequestId/);
    expect(metrics).toContainEqual({
      namespace: 'N',
      name: 'Done',
      dimensions: { q: 'orders' },
      value: 3,
      unit: 'Count',
    });
  });

  it('reaches the engine with the SDK that the runtime provides', async () => {
    sqs.queues.create('q', {});
    deploy(
      'sdk',
      `const { SQSClient, GetQueueUrlCommand } = require('@aws-sdk/client-sqs');
       exports.handler = async () => (await new SQSClient({}).send(new GetQueueUrlCommand({ QueueName: 'q' }))).QueueUrl;`,
    );
    expect((await invoke('sdk')).value).toContain('/123456789012/q');
  });

  it('throttles at the reserved concurrency, and takes new settings', async () => {
    deploy('f', 'exports.handler = async () => process.env.COLOUR;');
    await client.send(
      new PutFunctionConcurrencyCommand({ FunctionName: 'f', ReservedConcurrentExecutions: 0 }),
    );
    await expect(invoke('f')).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await client.send(
      new PutFunctionConcurrencyCommand({ FunctionName: 'f', ReservedConcurrentExecutions: 1 }),
    );
    await client.send(
      new UpdateFunctionConfigurationCommand({
        FunctionName: 'f',
        Environment: { Variables: { COLOUR: 'red' } },
      }),
    );
    expect((await invoke('f')).value).toBe('red');
    const described = await client.send(new GetFunctionConfigurationCommand({ FunctionName: 'f' }));
    expect(described.Environment?.Variables).toEqual({ COLOUR: 'red' });
    await expect(invoke('nobody')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('an event source mapping', () => {
  const map = (more: Partial<MappingConfig> = {}): void => {
    lambda.map({
      uuid: 'm',
      queueArn: 'arn:aws:sqs:eu-west-1:123456789012:q',
      functionName: 'f',
      batchSize: 10,
      window: 0,
      reportsItemFailures: true,
      filters: [],
      enabled: true,
      ...more,
    });
  };
  const queue = () => sqs.queues.byUrl('q');
  const send = (...bodies: string[]): void => {
    for (const body of bodies) queue().send({ body, senderId: 's' });
  };
  const left = async (): Promise<string[]> => {
    await clock.advance(1_000);
    return [...queue().live.values()].map(({ body }) => body).sort();
  };
  const answering = (expression: string): void =>
    deploy('f', `exports.handler = async ({ Records }) => (${expression});`);

  beforeEach(() => {
    sqs.queues.create('q', { VisibilityTimeout: '30' });
  });

  it.each([
    ['an empty list', '{ batchItemFailures: [] }', []],
    ['nothing', 'undefined', []],
    ['another key', '{ BatchItemFailures: [{ itemIdentifier: Records[0].messageId }] }', []],
    [
      'one id',
      "{ batchItemFailures: Records.filter((r) => r.body === 'b').map((r) => ({ itemIdentifier: r.messageId })) }",
      ['b'],
    ],
    ['an unknown id', "{ batchItemFailures: [{ itemIdentifier: 'x' }] }", ['a', 'b']],
    ['an empty id', "{ batchItemFailures: [{ itemIdentifier: '' }] }", ['a', 'b']],
    ['a null id', '{ batchItemFailures: [{ itemIdentifier: null }] }', ['a', 'b']],
    ['a wrong inner key', '{ batchItemFailures: [{ id: Records[0].messageId }] }', ['a', 'b']],
    ['no list', "{ batchItemFailures: 'b' }", ['a', 'b']],
  ])('judges the answer %s as AWS does', async (_what, expression, expected) => {
    answering(expression);
    map();
    send('a', 'b');
    expect(await left()).toEqual(expected);
  });

  it('deletes everything on success without ReportBatchItemFailures, and nothing after an error', async () => {
    answering('{ batchItemFailures: Records.map((r) => ({ itemIdentifier: r.messageId })) }');
    map({ reportsItemFailures: false });
    send('a');
    expect(await left()).toEqual([]);
    deploy('f', 'exports.handler = async () => { throw new Error("x"); };');
    send('b');
    expect(await left()).toEqual(['b']);
  });

  it('gives the record as AWS does', async () => {
    deploy('f', 'exports.handler = async ({ Records }) => { console.log(JSON.stringify(Records)); };');
    map();
    queue().send({
      body: 'x',
      senderId: 's',
      attributes: {
        b: { dataType: 'Binary', binaryValue: Buffer.from([0, 255, 16]) },
        t: { dataType: 'String', stringValue: 'v' },
      },
    });
    await left();
    const lines = events
      .filter(({ type }) => type === 'lambda.log')
      .map(({ detail }) => String(detail['line']));
    const [record] = JSON.parse(lines.find((line) => line.includes('INFO'))?.split('\t')[3] ?? '[]');
    expect(record).toMatchObject({
      body: 'x',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:q',
      awsRegion: 'eu-west-1',
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.any(String) },
      messageAttributes: {
        b: { binaryValue: 'AP8Q', dataType: 'Binary', stringListValues: [], binaryListValues: [] },
        t: { stringValue: 'v', dataType: 'String', stringListValues: [], binaryListValues: [] },
      },
    });
  });

  it('waits for the window, and cuts at the batch size', async () => {
    deploy('f', 'exports.handler = async ({ Records }) => { console.log("size=" + Records.length); };');
    map({ batchSize: 12, window: 5 });
    send(...'abcdefg');
    await clock.advance(2_000);
    send(...'hijklmn');
    await clock.advance(10_000);
    const sizes = events.flatMap(({ detail }) => /size=(\d+)/.exec(String(detail['line']))?.[1] ?? []);
    expect(sizes).toEqual(['12', '2']);
  });

  it('drops what its filter does not match', async () => {
    answering('{ batchItemFailures: Records.map((r) => ({ itemIdentifier: r.messageId })) }');
    map({ filters: ['{"body":{"kind":["order"],"total":[{"numeric":[">",5]}]}}'] });
    send('{"kind":"order","total":6}', '{"kind":"order","total":5}', 'not json');
    expect(await left()).toEqual(['{"kind":"order","total":6}']);
  });

  it('uses receives up while the function is throttled', async () => {
    deploy('f', 'exports.handler = async () => ({});', { reserved: 0 });
    map();
    send('a');
    await clock.advance(65_000);
    const [message] = queue().live.values();
    expect(message?.receiveCount).toBeGreaterThan(1);
    expect(metrics.filter(({ name }) => name === 'Throttles').length).toBeGreaterThan(0);
  });

  it('can be switched off and on', async () => {
    answering('undefined');
    map();
    await client.send(new UpdateEventSourceMappingCommand({ UUID: 'm', Enabled: false }));
    send('a');
    expect(await left()).toEqual(['a']);
    await client.send(new UpdateEventSourceMappingCommand({ UUID: 'm', Enabled: true }));
    expect(await left()).toEqual([]);
  });

  it.each([
    [{ batchSize: 11 }, 'greater than 0 if maximum batch size'],
    [{ batchSize: 10_001, window: 1 }, 'from 1 to 10000'],
    [{ maximumConcurrency: 1 }, 'at least 2'],
    [{ filters: ['{"messageAttributes":{}}'] }, "only 'body'"],
  ])('refuses %j', (more, reason) => {
    answering('undefined');
    expect(() => map(more)).toThrow(reason);
  });

  it('refuses a queue whose visibility is below the timeout of the function', () => {
    deploy('f', 'exports.handler = async () => {};', { timeout: 60 });
    expect(() => map()).toThrow(
      'Queue visibility timeout: 30 seconds is less than Function timeout: 60 seconds',
    );
  });

  it('refuses a mapping whose role may not read the queue, once everything is deployed', async () => {
    allowed = (action) => action !== 'sqs:DeleteMessage';
    answering('undefined');
    expect(() => map()).toThrow('does not have permissions to call DeleteMessage on SQS');
    expect(lambda.mappings.size).toBe(0);
  });
});
