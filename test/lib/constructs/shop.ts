import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RecoverableQueue, type RecoverableQueueProps } from 'cdk-redrive';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export type Resources = Record<string, TemplateResource>;

/** A stack with a queue and, when asked, a consumer of 30 seconds. */
export class Shop {
  readonly app = new App();
  readonly stack: Stack = new Stack(this.app, 'Shop');

  queue(props: RecoverableQueueProps = {}, id = 'Orders'): RecoverableQueue {
    return new RecoverableQueue(this.stack, id, { owner: 'shop team', ...props });
  }

  consumer(props: Partial<FunctionProps> = {}, id = 'Ship'): LambdaFunction {
    return new LambdaFunction(this.stack, id, {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
      timeout: Duration.seconds(30),
      ...props,
    });
  }

  template(): Template {
    return Template.fromStack(this.stack);
  }

  resources(): Resources {
    return this.template().toJSON()['Resources'] as Resources;
  }

  /** What synthesis says against the app; empty when it says nothing. */
  problems(): string {
    try {
      this.app.synth();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  }
}

export function ofType(
  resources: Resources,
  type: string,
): [logicalId: string, resource: TemplateResource][] {
  return Object.entries(resources).filter(([, { Type }]) => Type === type);
}

/** The only resource whose logical id begins so; fails when there is none or more than one. */
export function only(resources: Resources, prefix: RegExp): TemplateResource {
  const found = Object.entries(resources).filter(([id]) => prefix.test(id));
  if (found.length !== 1)
    throw new Error(`${found.length} resources match ${prefix}: ${found.map(([id]) => id)}`);
  return (found[0] as [string, TemplateResource])[1];
}

/** Logical ids along a circle of references, or an empty list. */
export function circleIn(resources: Resources): string[] {
  const edges = new Map(
    Object.entries(resources).map(([id, resource]) => [
      id,
      [...JSON.stringify(resource).matchAll(/"(?:Ref|Fn::GetAtt|DependsOn)":(\[?"[^\]]*?"\]?|\[[^\]]*\])/g)]
        .flatMap(([, target = '']) =>
          [...target.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name.split('.')[0] ?? ''),
        )
        .filter((name) => name !== id && name in resources),
    ]),
  );
  const done = new Set<string>();
  const walk = (id: string, path: readonly string[]): string[] => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return [];
    for (const next of edges.get(id) ?? []) {
      const circle = walk(next, [...path, id]);
      if (circle.length > 0) return circle;
    }
    done.add(id);
    return [];
  };
  for (const id of edges.keys()) {
    const circle = walk(id, []);
    if (circle.length > 0) return circle;
  }
  return [];
}
