import { App, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterChecks, type DeadLetterChecksProps, RecoverableQueue } from 'cdk-redrive';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RULES } from '../../../lib/rules/rules';

/** What an app says at synth that has a plain queue with a plain consumer, as most have. */
function plainApp(checks: DeadLetterChecksProps = {}): { said: string; failed: boolean } {
  const app = new App();
  Validations.of(app).addPlugins(new DeadLetterChecks(checks));
  const stack = new Stack(app, 'Plain');
  const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(60) });
  const consumer = new LambdaFunction(stack, 'Consumer', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('x'),
    timeout: Duration.seconds(60),
  });
  consumer.addEventSource(new SqsEventSource(queue));
  return synthesize(app);
}

function synthesize(app: App): { said: string; failed: boolean } {
  const lines: string[] = [];
  for (const method of ['log', 'error', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((...text) => void lines.push(text.join(' ')));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  let failed = false;
  try {
    app.synth();
  } catch (error) {
    failed = true;
    lines.push((error as Error).message);
  } finally {
    vi.restoreAllMocks();
  }
  failed ||= process.exitCode === 1;
  process.exitCode = undefined;
  return { said: lines.join('\n'), failed };
}

describe('the checks as a plugin of any app', () => {
  afterEach(() => {
    process.exitCode = undefined;
  });

  it('stop a synth that would lose messages, and say why and what to do', () => {
    const { said, failed } = plainApp();
    expect(failed).toBe(true);
    expect(said).toContain('NO_PARTIAL_BATCH_RESPONSE');
    expect(said).toContain('FunctionResponseTypes: [ReportBatchItemFailures]');
    expect(said).toContain('VISIBILITY_TOO_SHORT');
    expect(said).toContain('60 s; 360 s are needed');
    expect(said).toContain('Plain/Queue');
  });

  it('let pass what is answered with a reason, and what is only a warning', () => {
    const { said, failed } = plainApp({
      acknowledged: { NO_PARTIAL_BATCH_RESPONSE: 'it is all or nothing' },
    });
    expect(said).not.toContain('NO_PARTIAL_BATCH_RESPONSE');
    expect(failed).toBe(false);
  });

  it('leave warnings out on demand', () => {
    const { said } = plainApp({ warnings: false });
    expect(said).not.toContain('VISIBILITY_TOO_SHORT');
    expect(said).toContain('NO_PARTIAL_BATCH_RESPONSE');
  });

  it('take no answer without a reason, and none to a rule that does not exist', () => {
    expect(() => new DeadLetterChecks({ acknowledged: { FILTER_DROPS: ' ' } })).toThrow(/REASON_MISSING/);
    expect(() => new DeadLetterChecks({ acknowledged: { NO_SUCH_RULE: 'because' } })).toThrow(/RULE_UNKNOWN/);
  });

  it('say nothing against our own construct', () => {
    const app = new App();
    Validations.of(app).addPlugins(new DeadLetterChecks());
    const stack = new Stack(app, 'Shop');
    new RecoverableQueue(stack, 'Orders', { owner: 'us' });
    const { said, failed } = synthesize(app);
    expect(failed).toBe(false);
    for (const { id } of RULES) expect(said).not.toContain(id);
  });

  it('name all their rules, for those who count them', () => {
    expect(new DeadLetterChecks().ruleIds).toEqual(RULES.map(({ id }) => id));
  });
});
