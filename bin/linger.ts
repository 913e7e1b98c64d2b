import type { Screen } from '../examples/webhooks/demo/screen';
import type { Stage } from '../examples/webhooks/demo/stage';
import { followRealTime } from '../local/clock/real-time-follower';

/** Stays up in real time until the person presses Ctrl-C. */
export async function linger({ engine, clock, queueUrl }: Stage, screen: Screen): Promise<void> {
  const stop = followRealTime(clock);
  screen.act('Still up: time passes at its normal speed now. Ctrl-C ends it');
  screen.line(
    `export AWS_ENDPOINT_URL=${engine.endpoint} AWS_REGION=${engine.region} AWS_ACCESS_KEY_ID=LOCALOPERATOR AWS_SECRET_ACCESS_KEY=none`,
  );
  screen.line(`aws sqs send-message --queue-url ${queueUrl} --message-body '{}'`);
  screen.line('npx redrive groups webhooks');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  stop();
}
