import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Choice,
  Condition,
  DefinitionBody,
  Map as MapState,
  Pass,
  ProvideItems,
  QueryLanguage,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import type { ResourceRequest } from '../../../local/cloudformation/resource-provider';
import { clock, ROLE, runMachine, states } from './states-rig';

const request = (properties: Record<string, unknown>): ResourceRequest => ({
  stackName: 'Shop',
  logicalId: 'Machine',
  properties: { RoleArn: ROLE, ...properties },
  account: '123456789012',
  region: 'eu-west-1',
  generatedName: 'Shop-Machine-12345678',
  asset: () => '',
});
const deploy = async (properties: Record<string, unknown>) =>
  states.providers[0]?.create(request(properties));

describe('a machine from a template', () => {
  it('runs as CDK writes it', async () => {
    const stack = new Stack(new App(), 'Shop');
    const rounds = new Choice(stack, 'More?', { queryLanguage: QueryLanguage.JSONATA });
    const work = new MapState(stack, 'Each', {
      queryLanguage: QueryLanguage.JSONATA,
      items: ProvideItems.jsonata('{% $states.input.items %}'),
      maxConcurrency: 2,
    });
    work.itemProcessor(Pass.jsonata(stack, 'Double', { outputs: '{% $states.input * 2 %}' }));
    const start = Pass.jsonata(stack, 'Begin', { assign: { n: 0 } });
    const wait = Wait.jsonata(stack, 'Rest', {
      time: WaitTime.duration(Duration.seconds(30)),
      assign: { n: '{% $n + 1 %}' },
    });
    rounds
      .when(Condition.jsonata('{% $n < 3 %}'), wait)
      .otherwise(
        work.next(
          Succeed.jsonata(stack, 'End', { outputs: { items: '{% $states.input %}', n: '{% $n %}' } }),
        ),
      );
    wait.next(rounds);
    new StateMachine(stack, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(start.next(rounds)),
      queryLanguage: QueryLanguage.JSONATA,
      role: new Role(stack, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') }),
    });
    const [resource] = Object.values(
      Template.fromStack(stack).findResources('AWS::StepFunctions::StateMachine'),
    );
    const { DefinitionString } = (resource?.['Properties'] ?? {}) as { DefinitionString?: string };
    const created = await deploy({ DefinitionString });
    const begun = clock.now();
    const { error, output } = await runMachine(String(created?.ref), { items: [1, 2] }, 90_000);
    expect({ error, output }).toEqual({ output: { items: [2, 4], n: 3 } });
    expect(clock.now() - begun).toBe(90_000);
  });

  it('takes an object with substitutions, and is replaced by the next deployment', async () => {
    const Definition = (output: string) => ({
      QueryLanguage: 'JSONata',
      StartAt: 'S',
      States: { S: { Type: 'Pass', Output: output, End: true } },
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
    const properties = { Definition: Definition('${Name}'), DefinitionSubstitutions: { Name: 'orders' } };
    const first = await deploy({ ...properties, Tags: [{ Key: 'a', Value: '1' }] });
    expect(first?.attributes).toMatchObject({ Arn: first?.ref, Name: 'Shop-Machine-12345678' });
    expect(states.machines.tagsOf(first?.ref).get('a')).toBe('1');
    expect((await runMachine(String(first?.ref))).output).toBe('orders');
    const second = await deploy({ Definition: Definition('other') });
    expect(second?.ref).toBe(first?.ref);
    expect((await runMachine(String(second?.ref))).output).toBe('other');
  });

  it('is refused with the name of the state, or without a definition', async () => {
    const DefinitionString = JSON.stringify({ StartAt: 'Old', States: { Old: { Type: 'Succeed' } } });
    await expect(deploy({ DefinitionString })).rejects.toThrow("state 'Old': JSONPath is not emulated");
    await expect(deploy({})).rejects.toMatchObject({ property: 'DefinitionString' });
  });
});
