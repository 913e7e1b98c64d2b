import type { InvocationResult } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import type { EventSourceMapping } from './event-source-mapping';
import type { FunctionConfig } from './function-config';
import type { FunctionPool } from './function-pool';
import type { FunctionRegistry } from './function-registry';
import type { MappingConfig } from './mapping-config';

/** What the API and the resources do to functions and mappings. */
export interface LambdaControl {
  readonly environment: Environment;
  readonly mappings: ReadonlyMap<string, EventSourceMapping>;
  readonly registry: FunctionRegistry;
  /** A new folder for code that comes without one; it is removed when the service stops. */
  newFolder(): string;
  onStop(callback: () => void): void;
  /** Throws a ResourceError where AWS refuses the settings. */
  create(config: FunctionConfig): void;
  find(nameOrArn: string): FunctionPool | undefined;
  all(): FunctionPool[];
  /** Throws a ResourceError where AWS refuses the mapping. */
  map(config: MappingConfig): EventSourceMapping;
  /** Throws a ResourceError where AWS refuses the change. */
  remap(mapping: EventSourceMapping, config: MappingConfig): void;
  unmap(uuid: string): void;
  invoke(functionArn: string, payload: string): Promise<InvocationResult>;
}
