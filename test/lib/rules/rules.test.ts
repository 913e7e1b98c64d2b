import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RecoverableQueue } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { checkTemplate, RULES } from '../../../lib/rules/rules';
import { BREAKS } from './breaks';
import { arn, good, templateOf } from './good-template';
import { HOLDS } from './holds';

const broken = (template: object): string[] => checkTemplate(template).map(({ rule }) => rule.id);

describe('the rules', () => {
  it('are at least forty, each with an id of its own, a source and a case here', () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !(id in BREAKS))).toEqual([]);
    expect(RULES.filter(({ source }) => !source.startsWith('https://docs.aws.amazon.com/'))).toEqual([]);
  });

  it('have nothing against a good template', () => {
    expect(broken(templateOf(good()))).toEqual([]);
  });

  it.each(Object.keys(BREAKS))('%s is found when it is broken', (id) => {
    const parts = good();
    BREAKS[id]?.(parts);
    expect(broken(templateOf(parts))).toContain(id);
  });

  it.each(HOLDS)('%s holds: %s', (id, _why, change) => {
    const parts = good();
    change(parts);
    expect(broken(templateOf(parts))).not.toContain(id);
  });

  it('say nothing about tokens, and never throw on them', () => {
    const parts = good();
    const token = { 'Fn::ImportValue': 'elsewhere' };
    for (const part of [
      parts.source,
      parts.dead,
      parts.mapping,
      parts.fn,
      parts.alarm,
      parts.topic,
      parts.key,
      parts.role,
      parts.policies,
    ])
      for (const name of Object.keys(part)) part[name] = token;
    expect(
      checkTemplate(templateOf(parts)).filter(
        ({ rule }) => rule.severity === 'error' && rule.id !== 'NO_PARTIAL_BATCH_RESPONSE',
      ),
    ).toEqual([]);
    expect(() =>
      checkTemplate({ Resources: { A: null, B: { Type: 'AWS::SQS::Queue', Properties: null } } as never }),
    ).not.toThrow();
  });

  it('read functions of the Serverless Application Model, with what is set for all of them', () => {
    const { Source, Dead } = templateOf(good()).Resources;
    const template = {
      Globals: { Function: { Timeout: 90 } },
      Resources: {
        Source,
        Dead,
        Fn: {
          Type: 'AWS::Serverless::Function',
          Properties: {
            Events: {
              Orders: { Type: 'SQS', Properties: { Queue: arn('Source'), BatchSize: 100 } },
              Web: { Type: 'Api', Properties: {} },
            },
          },
        },
      },
    };
    const found = checkTemplate(template).map(({ rule, logicalId, message }) => [
      rule.id,
      logicalId,
      message,
    ]);
    expect(found).toContainEqual(['BATCH_NEEDS_WINDOW', 'FnOrders', '100 with a window of 0 s']);
    expect(found).toContainEqual([
      'NO_PARTIAL_BATCH_RESPONSE',
      'FnOrders',
      'without ReportBatchItemFailures',
    ]);
    expect(found).toContainEqual([
      'VISIBILITY_TOO_SHORT',
      'Source',
      '180 s; 540 s are needed: 6 x 90 s + 0 s',
    ]);
  });

  it('have nothing against our own construct', () => {
    const stack = new Stack(new App(), 'Shop');
    const fn = new LambdaFunction(stack, 'Fn', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'i.h',
      code: Code.fromInline('x'),
      timeout: Duration.seconds(60),
    });
    new RecoverableQueue(stack, 'Orders', { owner: 'shop' }).addConsumer(fn, {
      maxBatchingWindow: Duration.seconds(20),
      batchSize: 100,
    });
    const template = Template.fromStack(stack).toJSON();
    expect(template['Resources']).toBeDefined();
    expect(
      checkTemplate(template).map(({ rule, logicalId, message }) => `${rule.id} ${logicalId} ${message}`),
    ).toEqual([]);
  });
});
