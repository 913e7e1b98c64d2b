import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startLocal } from '../local/start-local';
import { bareServer, type Peer, plainDynalite } from './engine-peers';
import type { Measured } from './figure';
import { perSecond, RawClient } from './raw-client';

const ROUNDS = 5;
const ROUND_MS = 2_000;
const LANES = 8;
const BODY = 'x'.repeat(500);

const TABLE = {
  TableName: 'bench',
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
};
const TRUST = {
  Statement: [{ Effect: 'Allow', Principal: { Service: 'states.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};
const LOOP = {
  QueryLanguage: 'JSONata',
  StartAt: 'Count',
  States: {
    Count: { Type: 'Pass', Assign: { n: '{% $states.input.n %}' }, Next: 'More' },
    More: { Type: 'Choice', Choices: [{ Condition: '{% $n = 1 %}', Next: 'Done' }], Default: 'Count' },
    Done: { Type: 'Succeed' },
  },
};

/** A batch of ten sent, received and deleted; answers ten. */
async function sqsTraffic(client: RawClient): Promise<number> {
  const QueueUrl = 'http://127.0.0.1/123456789012/bench';
  const ids = Array.from({ length: 10 }, (_, index) => String(index));
  await client.call('SendMessageBatch', { QueueUrl, Entries: ids.map((Id) => ({ Id, MessageBody: BODY })) });
  const { Messages = [] } = (await client.call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 })) as {
    Messages?: { ReceiptHandle: string }[];
  };
  if (Messages.length > 0)
    await client.call('DeleteMessageBatch', {
      QueueUrl,
      Entries: Messages.map(({ ReceiptHandle }, Id) => ({ Id: String(Id), ReceiptHandle })),
    });
  return Messages.length;
}

let serial = 0;
async function conditionalPut(client: RawClient): Promise<number> {
  await client.call('PutItem', {
    TableName: 'bench',
    Item: { id: { S: `k${serial++}` }, data: { S: BODY } },
    ConditionExpression: 'attribute_not_exists(id)',
  });
  return 1;
}

/** Ours and the peer in turns. */
async function inTurns(
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  say: (text: string) => void,
  name: string,
) {
  const [mine, theirs]: [number[], number[]] = [[], []];
  await ours();
  await peer();
  for (let round = 0; round < ROUNDS; round++) {
    mine.push(await ours());
    theirs.push(await peer());
    say(`${name}: round ${round + 1} of ${ROUNDS}`);
  }
  return { ours: mine, peer: theirs };
}

export async function suite(say: (text: string) => void): Promise<readonly Measured[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const assembly = path.join(folder, 'template.json');
  writeFileSync(
    assembly,
    JSON.stringify({
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'bench' } },
        Table: { Type: 'AWS::DynamoDB::Table', Properties: TABLE },
        Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: TRUST } },
        Machine: {
          Type: 'AWS::StepFunctions::StateMachine',
          Properties: {
            StateMachineName: 'bench',
            RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
            DefinitionString: JSON.stringify(LOOP),
          },
        },
      },
    }),
  );
  const begun = performance.now();
  const engine = await startLocal({ assembly });
  const up = (performance.now() - begun) / 1000;
  // First, while nothing else has left its traces.
  const memory = queuedMemory(engine.services.sqs);
  const peers: Peer[] = [await bareServer(), await plainDynalite()];
  try {
    const [bare, dynalite] = peers as [Peer, Peer];
    const client = (endpoint: string, service: string, prefix: string) =>
      new RawClient(endpoint, service, prefix);
    const sqs = client(engine.endpoint, 'sqs', 'AmazonSQS');
    const bareSqs = client(bare.endpoint, 'sqs', 'AmazonSQS');
    const table = client(engine.endpoint, 'dynamodb', 'DynamoDB_20120810');
    const bareTable = client(dynalite.endpoint, 'dynamodb', 'DynamoDB_20120810');
    await bareTable.call('CreateTable', TABLE);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const queue = await inTurns(
      () => perSecond(LANES, ROUND_MS, () => sqsTraffic(sqs)),
      () => perSecond(LANES, ROUND_MS, () => sqsTraffic(bareSqs)),
      say,
      'SQS',
    );
    const puts = await inTurns(
      () => perSecond(LANES, ROUND_MS, () => conditionalPut(table)),
      () => perSecond(LANES, ROUND_MS, () => conditionalPut(bareTable)),
      say,
      'DynamoDB',
    );
    const transitions: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      transitions.push(await transitionsPerSecond(engine.services.states));
      say(`transitions: round ${round + 1} of ${ROUNDS}`);
    }
    return [
      { figure: 'engine.sqs-batch-traffic', unit: 'messages/s', ...queue, goal: { atLeast: 0.8 } },
      { figure: 'engine.dynamodb-conditional-puts', unit: 'puts/s', ...puts, goal: { atLeast: 0.7 } },
      {
        figure: 'engine.state-transitions',
        unit: 'transitions/s',
        ours: transitions,
        peer: [],
        goal: { atLeast: 20_000 },
      },
      { figure: 'engine.up', unit: 's', ours: [up], peer: [], goal: { atMost: 2 } },
      { figure: 'engine.million-messages', unit: 'GB', ours: [memory], peer: [], goal: { atMost: 1.5 } },
    ];
  } finally {
    await engine.stop();
    for (const peer of peers) await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Services = Awaited<ReturnType<typeof startLocal>>['services'];

/** The loop runs into the 25,000 events of one execution: two for each state. */
async function transitionsPerSecond({ actions, executions }: Services['states']): Promise<number> {
  const machine = actions.machine('arn:aws:states:eu-west-1:123456789012:stateMachine:bench');
  const begun = performance.now();
  const execution = executions.start(machine, '{"n":0}');
  await execution.finished;
  return execution.history.events.length / 2 / ((performance.now() - begun) / 1000);
}

/** Resident memory with a million messages of 500 bytes in a queue, in GB. */
function queuedMemory({ queues }: Services['sqs']): number {
  const queue = queues.create('million', {});
  for (let index = 0; index < 1_000_000; index++) {
    // As a request brings it: a string of its own.
    const body = JSON.parse(`"${String(index).padEnd(500, 'x')}"`) as string;
    queue.send({ body, senderId: 'bench' });
  }
  const { rss } = process.memoryUsage();
  queues.delete(queue);
  return rss / 1e9;
}
