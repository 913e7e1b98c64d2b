import { type Answer, type Call, LambdaError } from './api-call';
import { AsynchronousInvocations } from './asynchronous';
import { resolved } from './function-api';
import type { LambdaControl } from './lambda-control';

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAXIMUM_PAYLOAD_BYTES = 6 * 1024 * 1024;
const MAXIMUM_EVENT_BYTES = 1024 * 1024;

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
export class InvokeApi {
  private readonly asynchronous: AsynchronousInvocations;

  constructor(private readonly service: LambdaControl) {
    this.asynchronous = new AsynchronousInvocations(service.environment.clock);
    service.onStop(() => this.asynchronous.stop());
  }

  async invoke(call: Call): Promise<Answer> {
    const { exchange, body } = call;
    const { headers } = exchange.request;
    const payload = body.length === 0 ? '{}' : body.toString('utf8');
    const kind = headers['x-amz-invocation-type'] ?? 'RequestResponse';
    const { arn, version } = resolved(this.service, call);
    const most = kind === 'Event' ? MAXIMUM_EVENT_BYTES : MAXIMUM_PAYLOAD_BYTES;
    if (body.length > most)
      throw new LambdaError(
        413,
        'RequestTooLargeException',
        `${body.length} byte payload is too large for the ${String(kind)} invocation type (limit ${most} bytes)`,
      );
    JSON.parse(payload);
    if (kind === 'DryRun') return { status: 204 };
    if (kind === 'Event') {
      void this.asynchronous.run(() => this.service.invoke(arn, payload));
      return { status: 202, body: '' };
    }
    const result = await this.service.invoke(arn, payload);
    return {
      status: 200,
      body: result.payload,
      headers: {
        'x-amz-executed-version': version,
        ...(result.functionError === undefined ? {} : { 'x-amz-function-error': result.functionError }),
        ...(headers['x-amz-log-type'] === 'Tail'
          ? { 'x-amz-log-result': Buffer.from(result.logTail).toString('base64') }
          : {}),
      },
    };
  }
}
