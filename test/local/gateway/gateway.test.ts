import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { Gateway } from '../../../local/gateway/gateway';
import { type Credentials, Identities, OPERATOR_CREDENTIALS } from '../../../local/gateway/identities';
import { SecurityTokenService } from '../../../local/gateway/security-token-service';
import type { Exchange, LocalService } from '../../../local/gateway/service';
import { fakeEnvironment } from '../fake-environment';

const ROLE = 'arn:aws:iam::123456789012:role/path/consumer';
const running: Gateway[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

interface Running {
  readonly gateway: Gateway;
  readonly clock: SimulatedClock;
  readonly identities: Identities;
  readonly seen: Exchange[];
  readonly failures: string[];
}

async function start(names: readonly string[], handle?: LocalService['handle']): Promise<Running> {
  const clock = new SimulatedClock();
  const identities = new Identities();
  const failures: string[] = [];
  const gateway = new Gateway({ clock, identities, onFailure: (name) => failures.push(name) });
  running.push(gateway);
  const seen: Exchange[] = [];
  for (const signingName of names)
    gateway.register({
      signingName,
      providers: [],
      handle: (exchange) => {
        seen.push(exchange);
        if (handle) return handle(exchange);
        exchange.request.resume();
        exchange.response.end(signingName);
      },
    });
  await gateway.listen();
  return { gateway, clock, identities, seen, failures };
}

const signed = (service: string, key = 'SOMEBODY') => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260105/eu-west-1/${service}/aws4_request, SignedHeaders=host, Signature=00`,
});

const clientOptions = (gateway: Gateway, credentials: Credentials = OPERATOR_CREDENTIALS) => ({
  endpoint: gateway.endpoint(),
  region: 'eu-west-1',
  credentials,
  maxAttempts: 1,
});

describe('gateway', () => {
  it.each([
    ['the credential scope', '/', { ...signed('states'), 'x-amz-target': 'AmazonSQS.SendMessage' }, 'states'],
    ['X-Amz-Target', '/', { 'x-amz-target': 'AmazonSQS.SendMessage' }, 'sqs'],
    ['a presigned query', '/b/k?X-Amz-Credential=K%2F20260105%2Feu-west-1%2Fs3%2Faws4_request', {}, 's3'],
    ['a Lambda path', '/2015-03-31/functions/f/invocations', {}, 'lambda'],
    ['an RPC path', '/service/GraniteServiceVersion20100801/operation/PutMetricData', {}, 'monitoring'],
    ['a queue URL', '/123456789012/orders', {}, 'sqs'],
    ['the API version in the query', '/?Action=Publish&Version=2010-03-31', {}, 'sns'],
  ])('finds the service by %s', async (_by, path, headers, expected) => {
    const { gateway } = await start(['sqs', 'states', 's3', 'lambda', 'monitoring', 'sns']);
    const response = await fetch(`${gateway.endpoint()}${path}`, {
      headers: headers as Record<string, string>,
    });
    expect(await response.text()).toBe(expected);
  });

  it('names what it serves when a service is not emulated, in the protocol of the caller', async () => {
    const { gateway } = await start(['dynamodb', 'states']);
    const sqs = new SQSClient(clientOptions(gateway));
    await expect(
      sqs.send(new SendMessageCommand({ QueueUrl: gateway.endpoint(), MessageBody: 'x' })),
    ).rejects.toMatchObject({
      name: 'UnknownService',
      message: expect.stringMatching(/'sqs'.*dynamodb, states/),
    });
    const sns = new SNSClient(clientOptions(gateway));
    await expect(sns.send(new PublishCommand({ TopicArn: 'a', Message: 'x' }))).rejects.toMatchObject({
      name: 'UnknownService',
      message: expect.stringMatching(/'sns'.*dynamodb, states/),
    });
  });

  it('says that nothing names the service of an unsigned request', async () => {
    const { gateway } = await start(['sqs']);
    const response = await fetch(gateway.endpoint());
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('sign the request') });
  });

  it('tells a role from the person by the access key', async () => {
    const { gateway, identities, seen } = await start(['sqs']);
    const { accessKeyId } = identities.credentialsFor(ROLE);
    await fetch(gateway.endpoint(), { headers: signed('sqs', accessKeyId) });
    await fetch(gateway.endpoint(), { headers: signed('sqs', 'SOMEBODY') });
    expect(seen.map(({ identity }) => identity)).toEqual([
      { accessKeyId, roleArn: ROLE },
      { accessKeyId: 'SOMEBODY' },
    ]);
  });

  it('gives a role the same key every time, and no key of the form of a real one', () => {
    const first = new Identities().credentialsFor(ROLE);
    expect(new Identities().credentialsFor(ROLE)).toEqual(first);
    expect(new Identities().credentialsFor(`${ROLE}2`)).not.toEqual(first);
    expect(first.accessKeyId).not.toMatch(/^A[KS]IA/);
  });

  it('holds the clock while an exchange is served', async () => {
    const { gateway, clock, seen } = await start(['sqs'], ({ request }) => void request.resume());
    const answered = fetch(gateway.endpoint(), { headers: signed('sqs') });
    await until(() => seen.length === 1);
    let passed = false;
    const advancing = clock.advance(1_000).then(() => {
      passed = true;
    });
    await turns(50);
    expect(passed).toBe(false);
    seen[0]?.response.end();
    await advancing;
    expect((await answered).status).toBe(200);
  });

  it('lets time pass while a long poll waits, and holds it again afterwards', async () => {
    const { gateway, clock, seen } = await start(['sqs'], async (exchange) => {
      exchange.request.resume();
      const goOn = exchange.waiting?.();
      await clock.sleep(20_000);
      goOn?.();
      exchange.response.end('empty');
    });
    const answered = fetch(gateway.endpoint(), { headers: signed('sqs') });
    await until(() => seen.length === 1);
    const before = clock.now();
    expect(await clock.runUntil(() => seen[0]?.response.writableEnded === true, 60_000)).toBe(true);
    expect(clock.now() - before).toBe(20_000);
    expect(await (await answered).text()).toBe('empty');
    await clock.settle();
  });

  it('lets go of the clock when the caller goes away', async () => {
    const { gateway, clock, seen } = await start(['sqs'], ({ request }) => void request.resume());
    const controller = new AbortController();
    const answered = fetch(gateway.endpoint(), { headers: signed('sqs'), signal: controller.signal });
    await until(() => seen.length === 1);
    controller.abort();
    await expect(answered).rejects.toThrow();
    await clock.advance(1_000);
    expect(seen[0]?.response.destroyed).toBe(true);
  });

  it('answers a fault of a service as InternalFailure and reports it', async () => {
    const { gateway, failures } = await start(['sqs', 'states'], ({ request }) => {
      request.resume();
      if (request.headers['x-later']) return Promise.reject(new Error('later'));
      throw new Error('at once');
    });
    for (const headers of [{ ...signed('sqs') }, { ...signed('states'), 'x-later': '1' }]) {
      const response = await fetch(gateway.endpoint(), { headers: headers as Record<string, string> });
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ __type: 'InternalFailure' });
    }
    expect(failures).toEqual(['sqs', 'states']);
  });

  it('stops although a long poll still waits', async () => {
    const { gateway, seen } = await start(['sqs'], ({ request, ...exchange }) => {
      request.resume();
      void exchange;
    });
    const answered = fetch(gateway.endpoint(), { headers: signed('sqs') });
    answered.catch(() => undefined);
    await until(() => seen.length === 1);
    seen[0]?.waiting?.();
    await gateway.stop();
    await gateway.stop();
    await expect(answered).rejects.toThrow();
  });

  it('lets what is under way end before it stops', async () => {
    const { gateway, seen } = await start(['sqs'], ({ request }) => void request.resume());
    const answered = fetch(gateway.endpoint(), { headers: signed('sqs') });
    await until(() => seen.length === 1);
    const stopped = gateway.stop();
    await turns(20);
    seen[0]?.response.end('done');
    expect(await (await answered).text()).toBe('done');
    await stopped;
  });

  it('refuses a second service of the same name, and an endpoint before it listens', () => {
    const gateway = new Gateway({ clock: new SimulatedClock(), identities: new Identities() });
    const service = { signingName: 'sqs', providers: [], handle: () => {} };
    gateway.register(service);
    expect(() => gateway.register(service)).toThrow('sqs');
    expect(() => gateway.endpoint()).toThrow('does not listen');
  });

  it('listens on the loopback address alone', async () => {
    const { gateway } = await start(['sqs']);
    const { hostname, port } = new URL(gateway.endpoint());
    expect(hostname).toBe('127.0.0.1');
    const others = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal),
    );
    for (const { address } of others) await expect(reach(`http://${address}:${port}`)).rejects.toThrow();
    expect(await reach(gateway.endpoint())).toBe(400);
  });
});

describe('security token service', () => {
  async function startTokens(authorize = () => undefined as string | undefined): Promise<Running> {
    const all = await start([]);
    const environment = fakeEnvironment({ clock: all.clock, authorize });
    all.gateway.register(new SecurityTokenService(environment, all.identities, (arn) => arn === ROLE));
    return all;
  }

  it('says who the person is', async () => {
    const { gateway } = await startTokens();
    const answer = await new STSClient(clientOptions(gateway)).send(new GetCallerIdentityCommand({}));
    expect(answer).toMatchObject({
      Account: '123456789012',
      Arn: 'arn:aws:iam::123456789012:user/operator',
      UserId: 'LOCALOPERATOR',
    });
  });

  it('gives the keys of a role, which then is who calls', async () => {
    const { gateway, clock } = await startTokens();
    const person = new STSClient(clientOptions(gateway));
    const command = new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: 'me', DurationSeconds: 900 });
    const { Credentials: keys } = await person.send(command);
    expect(keys?.Expiration?.getTime()).toBe(clock.now() + 900_000);
    const role = new STSClient(
      clientOptions(gateway, {
        accessKeyId: keys?.AccessKeyId ?? '',
        secretAccessKey: keys?.SecretAccessKey ?? '',
        sessionToken: keys?.SessionToken ?? '',
      }),
    );
    expect(await role.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Arn: 'arn:aws:sts::123456789012:assumed-role/consumer/local',
    });
  });

  it('refuses a role that there is not, and one that the caller may not take on', async () => {
    const absent = await startTokens();
    const command = (arn: string) => new AssumeRoleCommand({ RoleArn: arn, RoleSessionName: 'me' });
    await expect(
      new STSClient(clientOptions(absent.gateway)).send(command(`${ROLE}-absent`)),
    ).rejects.toMatchObject({ name: 'AccessDenied' });
    const denied = await startTokens(() => 'not you');
    await expect(new STSClient(clientOptions(denied.gateway)).send(command(ROLE))).rejects.toMatchObject({
      name: 'AccessDenied',
      message: 'not you',
    });
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function reach(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: 500 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('timed out')));
  });
}
