import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

/** What a user writes: a stack with the construct, and a handler with the consumer library. */
const STACK = `
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RecoverableQueue } from 'cdk-redrive';

const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Orders');
const orders = new RecoverableQueue(stack, 'Orders');
orders.addConsumer(
  new LambdaFunction(stack, 'Consumer', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
    timeout: Duration.seconds(20),
  }),
);
app.synth();
`;

const HANDLER = `
import { consumer, permanent } from 'cdk-redrive/handler';

export const handler = consumer<{ sku: string }>({
  operationId: (order) => order.sku,
  process: async (order, context) => {
    if (order.sku === '') throw permanent('SKU_MISSING');
    const attempt: number = context.attempt;
    return void attempt;
  },
});

// @ts-expect-error a consumer without a process function is refused
consumer({});
`;

/** Installs the packed package into an empty project, as a user would, and uses both of its entries there. */
function main(): void {
  const project = mkdtempSync(path.join(tmpdir(), 'cdk-redrive-pack-'));
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: ROOT, stdio: 'inherit' });
    const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error('npm pack made no tarball');
    writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'user', private: true }));
    mkdirSync(path.join(project, 'src'));
    writeFileSync(path.join(project, 'src/stack.ts'), STACK);
    writeFileSync(path.join(project, 'src/handler.ts'), HANDLER);
    writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'node20',
          strict: true,
          outDir: 'out',
          rootDir: 'src',
          types: ['node'],
        },
        include: ['src'],
      }),
    );
    const versions = ['aws-cdk-lib', 'constructs', 'typescript', '@types/node'].map(
      (name) => `${name}@${manifest.devDependencies[name]}`,
    );
    run('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`, ...versions);
    run('npx', 'tsc');
    run('node', 'out/stack.js');
    const template = JSON.parse(readFileSync(path.join(project, 'cdk.out/Orders.template.json'), 'utf8'));
    const types = Object.values(template.Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );
    expectAtLeast(types, 'AWS::SQS::Queue', 3);
    expectAtLeast(types, 'AWS::Lambda::EventSourceMapping', 2);
    expectAtLeast(types, 'AWS::DynamoDB::Table', 2);
    expectAtLeast(types, 'AWS::StepFunctions::StateMachine', 1);
    const dependencies = Object.keys(
      JSON.parse(readFileSync(path.join(project, 'node_modules/cdk-redrive/package.json'), 'utf8'))
        .dependencies ?? {},
    );
    if (dependencies.length > 0)
      throw new Error(`the package must have no dependencies, it has ${dependencies}`);
    console.log(`the packed package works in an empty project (${types.length} resources synthesized)`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function expectAtLeast(types: readonly string[], type: string, count: number): void {
  const found = types.filter((candidate) => candidate === type).length;
  if (found < count) throw new Error(`expected at least ${count} of ${type}, found ${found}`);
}

main();
