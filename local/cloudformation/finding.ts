/** Why a template can't run here, at one place of it. */
export interface Finding {
  readonly stack: string;
  /** Absent when the finding is about the stack as a whole. */
  readonly logicalId?: string;
  readonly type?: string;
  /** For example `Properties.Environment.Variables`. */
  readonly path?: string;
  readonly message: string;
}

/** Something that the template asks for and that has no effect here, with the reason why that is harmless. */
export interface NotEmulated {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** Absent: the whole resource. */
  readonly property?: string;
  readonly reason: string;
}

/** Carries every finding of an assembly at once. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(readonly findings: readonly Finding[]) {
    super(
      `The local engine can't run this template:\n${findings.map((each) => `  ${line(each)}`).join('\n')}`,
    );
  }
}

function line({ stack, logicalId, type, path, message }: Finding): string {
  const place = [
    logicalId === undefined ? stack : `${stack}/${logicalId}`,
    type === undefined ? undefined : `(${type})`,
    path,
  ];
  return `${place.filter((part) => part !== undefined).join(' ')}: ${message}`;
}
