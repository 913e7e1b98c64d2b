import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** In the engine's own process: the command `tsx` would start another one, which outlives it. */
const TSX = createRequire(__filename).resolve('tsx/cjs');
const config = (endpoint: string) => ({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'person', secretAccessKey: 'none' },
  maxAttempts: 1,
});
let folder: string;
let engine: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'killed-'));
  writeFileSync(
    path.join(folder, 'template.json'),
    JSON.stringify({
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } },
        Table: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            TableName: 'orders',
            BillingMode: 'PAY_PER_REQUEST',
            KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          },
        },
      },
    }),
  );
});
afterEach(() => {
  engine?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      '--require',
      TSX,
      path.join(__dirname, 'engine-process.ts'),
      path.join(folder, 'template.json'),
      path.join(folder, 'data'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } },
  );
  engine = child;
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      const [, endpoint] = /endpoint (\S+)/.exec(chunk.toString()) ?? [];
      if (endpoint !== undefined) resolve(endpoint);
    });
  });
}

it('killed under load, it has every message and item that it acknowledged', async () => {
  const first = config(await start());
  const [sqs, dynamoDb] = [new SQSClient(first), new DynamoDBClient(first)];
  const acknowledged = new Set<string>();
  const stored = new Set<string>();
  const QueueUrl = `${first.endpoint}/123456789012/orders`;
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    for (let batch = 0; ; batch++) {
      const Entries = Array.from({ length: 10 }, (_, index) => ({
        Id: `i${index}`,
        MessageBody: `${sender}-${batch}-${index}`,
      }));
      const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      for (const { Id } of Successful ?? []) acknowledged.add(`${sender}-${batch}-${Id?.slice(1)}`);
      const id = `${sender}-${batch}`;
      await dynamoDb.send(new PutItemCommand({ TableName: 'orders', Item: { id: { S: id } } }));
      stored.add(id);
      if (acknowledged.size > 2_000) engine?.kill('SIGKILL');
    }
  });
  // Each ends when the engine is gone.
  expect((await Promise.allSettled(senders)).every(({ status }) => status === 'rejected')).toBe(true);
  expect(acknowledged.size).toBeGreaterThan(2_000);

  const second = config(await start());
  const found = new Set<string>();
  const again = new SQSClient(second);
  for (;;) {
    const { Messages } = await again.send(
      new ReceiveMessageCommand({
        QueueUrl: `${second.endpoint}/123456789012/orders`,
        MaxNumberOfMessages: 10,
      }),
    );
    if (Messages === undefined) break;
    for (const { Body } of Messages) found.add(Body ?? '');
  }
  expect([...acknowledged].filter((body) => !found.has(body))).toEqual([]);
  const { Items } = await new DynamoDBClient(second).send(new ScanCommand({ TableName: 'orders' }));
  const ids = new Set(Items?.map(({ id }) => id?.S));
  expect([...stored].filter((id) => !ids.has(id))).toEqual([]);
});
