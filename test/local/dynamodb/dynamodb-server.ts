import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { createDynamoDb, type DynamoDbService } from '../../../local/dynamodb/dynamodb';
import type { Authorize, EngineEvent } from '../../../local/gateway/service';

export interface TestDynamoDb {
  readonly client: DynamoDBClient;
  readonly clock: SimulatedClock;
  readonly service: DynamoDbService;
  readonly events: EngineEvent[];
  stop(): Promise<void>;
}

export async function startDynamoDb(
  options: { authorize?: Authorize; dataFolder?: string } = {},
): Promise<TestDynamoDb> {
  const clock = new SimulatedClock();
  const events: EngineEvent[] = [];
  const service = createDynamoDb({
    clock,
    account: '123456789012',
    region: 'eu-west-1',
    endpoint: () => '',
    ...(options.dataFolder === undefined ? {} : { dataFolder: options.dataFolder }),
    metrics: { put: () => {}, addSource: () => {} },
    authorize: options.authorize ?? (() => undefined),
    emit: (event) => events.push(event),
  });
  service.start();
  const server = createServer((request, response) => {
    void service.handle({ request, response, identity: { accessKeyId: 'person' } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'person', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
  return {
    client,
    clock,
    service,
    events,
    stop: async () => {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.stop();
    },
  };
}

export async function createOrders(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: 'orders',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
}
