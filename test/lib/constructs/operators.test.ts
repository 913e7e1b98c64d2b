import { Stack } from 'aws-cdk-lib';
import { User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { DeadLetterDashboard, OperatorAccess } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { ofType, only, Shop } from './shop';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

function rightsOf(
  give: (access: OperatorAccess, ada: User) => void,
  queueKey = false,
): { statements: Statement[]; actions: string[] } {
  const shop = new Shop();
  const queue = shop.queue(queueKey ? { encryptionKey: new Key(shop.stack, 'Key') } : {});
  const ada = new User(shop.stack, 'Ada');
  give(new OperatorAccess(shop.stack, 'Access', { queues: [queue] }), ada);
  const { Statement } = only(shop.resources(), /^AdaDefaultPolicy/).Properties['PolicyDocument'] as {
    Statement: Statement[];
  };
  return { statements: Statement, actions: [...new Set(Statement.flatMap(({ Action }) => Action))].sort() };
}

const INSPECT = ['dynamodb:GetItem', 'dynamodb:Query', 'sqs:GetQueueAttributes', 'ssm:GetParametersByPath'];
const RUN = [
  ...INSPECT,
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'states:SendTaskSuccess',
  'states:StartExecution',
].sort();

describe('the rights of operators', () => {
  it('to look change nothing and show no body', () => {
    const { actions } = rightsOf((access, ada) => access.grantInspect(ada), true);
    expect(actions).toEqual(INSPECT);
  });

  it('to redrive move no message themselves, and write no discard', () => {
    const { actions, statements } = rightsOf((access, ada) => access.grantRedrive(ada), true);
    expect(actions).toEqual(RUN);
    const writes = statements.find(({ Action }) => [Action].flat().includes('dynamodb:PutItem'));
    expect(writes?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#*', 'audit#*'] },
      'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': ['run#discard-*'] },
    });
  });

  it('to discard reach runs that discard, and no others', () => {
    const { actions, statements } = rightsOf((access, ada) => access.grantDiscard(ada));
    expect(actions).toEqual(RUN);
    const writes = statements.find(({ Action }) => [Action].flat().includes('dynamodb:PutItem'));
    expect(writes?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#discard-*', 'audit#*'] },
    });
  });

  it('to read bodies delete none', () => {
    const { actions } = rightsOf((access, ada) => access.grantReadBody(ada), true);
    expect(actions).toEqual([
      'kms:Decrypt',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ]);
  });

  it('are on resources by name, but where IAM has none', () => {
    const { statements } = rightsOf((access, ada) => {
      access.grantRedrive(ada);
      access.grantDiscard(ada);
      access.grantReadBody(ada);
    });
    const wide = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    expect(wide.map(({ Action }) => Action)).toEqual(['states:SendTaskSuccess']);
  });
});

interface Widget {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly type: string;
  readonly properties: { readonly title?: string; readonly markdown?: string };
}

function widgetsOf(shop: Shop): Widget[] {
  const [dashboard] = ofType(shop.resources(), 'AWS::CloudWatch::Dashboard');
  const body = dashboard?.[1].Properties['DashboardBody'];
  const { 'Fn::Join': join } = body as { 'Fn::Join': [string, unknown[]] };
  return (
    JSON.parse(join[1].map((part) => (typeof part === 'string' ? part : 'reference')).join('')) as {
      widgets: Widget[];
    }
  ).widgets;
}

describe('the dashboard', () => {
  it('shows depth, arrivals, age, causes, redrives and consumers of each queue, and all queues in front', () => {
    const shop = new Shop();
    const queues = ['Orders', 'Bills'].map((id) => {
      const queue = shop.queue({ queueName: id.toLowerCase(), runbookUrl: 'https://example.invalid/r' }, id);
      queue.addConsumer(shop.consumer({}, `Do${id}`));
      return queue;
    });
    new DeadLetterDashboard(shop.stack, 'Board', { queues });
    const widgets = widgetsOf(shop);
    const titles = widgets.map(({ properties: { title, markdown } }) => title ?? markdown?.split('\n')[0]);
    const part = [
      'Now',
      'Dead letters, and messages done a minute',
      'Oldest message, hours',
      'Failures by code',
      'Redriven in the last day',
      'Consumers',
    ];
    expect(titles).toEqual([
      'Dead letters by queue',
      'Oldest dead letter by queue, hours',
      '## orders',
      ...part,
      '## bills',
      ...part,
    ]);
    expect(widgets.find(({ type }) => type === 'text')?.properties.markdown).toContain(
      '`npx redrive groups orders`',
    );
    const text = JSON.stringify(widgets);
    expect(text).toContain(
      '{Redrive/Consumer,queue,consumer,code} queue=\\"orders\\" MetricName=\\"Failures\\"',
    );
    for (const outcome of ['Succeeded', 'Returned', 'Discarded', 'Parked']) expect(text).toContain(outcome);
  });

  it('lays no widget over another, and none over the edge', () => {
    const shop = new Shop();
    const queue = shop.queue();
    queue.addConsumer(shop.consumer());
    new DeadLetterDashboard(shop.stack, 'Board', {
      queues: [queue, shop.queue({}, 'Bills')],
      dashboardName: 'dead',
    });
    const widgets = widgetsOf(shop);
    expect(widgets.length).toBeGreaterThan(10);
    const cells = new Set<string>();
    for (const { x, y, width, height } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column++)
        for (let row = y; row < y + height; row++) {
          expect(cells.has(`${column}/${row}`)).toBe(false);
          cells.add(`${column}/${row}`);
        }
    }
    expect(Stack.of(queue).stackName).toBe('Shop');
  });
});
