/** Stands for a process that died. Nothing may catch it but the test. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export type Moment = 'before' | 'after';

/** Kills at the nth AWS call, before it is made or after it took effect. */
export class CrashPoints {
  calls = 0;
  readonly names: string[] = [];
  private target: { readonly call: number; readonly moment: Moment } | undefined;

  arm(call: number, moment: Moment): void {
    this.calls = 0;
    this.names.length = 0;
    this.target = { call, moment };
  }

  disarm(): void {
    this.target = undefined;
  }

  /** Adds the hook to an SDK client. */
  watch(client: { middlewareStack: { add(middleware: never, options: never): void } }): void {
    const middleware =
      (next: (given: unknown) => Promise<unknown>, context: { commandName?: string }) =>
      async (given: unknown) => {
        const call = this.calls++;
        this.names.push(context.commandName ?? 'unknown');
        const hit = this.target?.call === call ? this.target.moment : undefined;
        if (hit === 'before') throw new Crash(`before ${context.commandName}`);
        const answer = await next(given);
        if (hit === 'after') throw new Crash(`after ${context.commandName}`);
        return answer;
      };
    client.middlewareStack.add(middleware as never, { step: 'initialize', name: 'crash' } as never);
  }
}
