import type { InvocationResult } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import type { EventSourceMapping } from './event-source-mapping';
import type { FunctionConfig } from './function-config';
import type { FunctionPool } from './function-pool';
import type { MappingConfig } from './mapping-config';

/** What the API and the resources do to functions and mappings. */
export interface LambdaControl {
  readonly environment: Environment;
  readonly mappings: ReadonlyMap<string, EventSourceMapping>;
  create(config: FunctionConfig): void;
  find(nameOrArn: string): FunctionPool | undefined;
  all(): FunctionPool[];
  /** Throws a ResourceError where AWS refuses the mapping. */
  map(config: MappingConfig): EventSourceMapping;
  unmap(uuid: string): void;
  invoke(functionArn: string, payload: string): Promise<InvocationResult>;
}
