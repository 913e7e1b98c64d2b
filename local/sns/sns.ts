import type { ResourceProvider } from '../cloudformation/resource-provider';
import { answerWithError } from '../gateway/aws-error';
import type { TopicPublisher } from '../gateway/ports';
import { answerQuery, queryParameters } from '../gateway/query-protocol';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { Delivery, type DeliveryTargets, type InboxEntry } from './delivery';
import { snsProviders } from './providers';
import { SnsActions } from './sns-actions';
import { SnsError } from './sns-error';
import { Topics } from './topics';

export type { InboxEntry } from './delivery';
export type SnsOptions = DeliveryTargets;

type Action = (given: URLSearchParams) => object;

/** The key that AWS manages lets no other service in, so what one publishes is lost without a word (field rule F34). */
const MANAGED_KEY = /(^|:)alias\/aws\/sns$/;
/** Operations whose right is given for all topics, or for none in particular. */
const WITHOUT_RESOURCE = /^(ListTopics|ListSubscriptions|Unsubscribe|[GS]etSubscriptionAttributes)$/;

/** SNS: topics to queues, functions and an inbox for what would reach people. */
export class SnsService implements LocalService, TopicPublisher {
  readonly signingName = 'sns';
  readonly providers: readonly ResourceProvider[];
  private readonly delivery: Delivery;
  private readonly topics: Topics;
  private readonly actions: SnsActions;

  constructor(
    private readonly environment: Environment,
    options: SnsOptions,
  ) {
    this.delivery = new Delivery(environment, options);
    this.topics = new Topics(environment, this.delivery);
    this.actions = new SnsActions(this.topics, this.delivery);
    this.providers = snsProviders(this.topics);
  }

  /** What would have reached people, oldest first. */
  inbox(): readonly InboxEntry[] {
    return this.delivery.inbox;
  }

  /**
   * By another service of AWS. A topic under a customer's key is taken to let it in; one under the key that AWS
   * manages drops the message with the event `sns.dropped`, as does a topic that does not exist.
   */
  publish(topicArn: string, { subject, body }: { readonly subject?: string; readonly body: string }): void {
    const topic = this.topics.all.get(topicArn);
    const key = topic?.attributes['KmsMasterKeyId'] ?? '';
    if (topic !== undefined && !MANAGED_KEY.test(key)) {
      this.topics.publish(topic, { body, ...(subject === undefined ? {} : { subject }) });
      return;
    }
    const reason =
      topic === undefined ? 'there is no such topic' : `no other service may use the key ${key} of the topic`;
    this.environment.emit({
      type: 'sns.dropped',
      at: this.environment.clock.now(),
      detail: { topicArn, subject, reason },
    });
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const given = await queryParameters(request);
    const operation = given.get('Action') ?? '';
    try {
      const action = /^[A-Z]/.test(operation)
        ? (this.actions as unknown as Record<string, Action | undefined>)[operation]
        : undefined;
      if (action === undefined)
        throw new SnsError(
          'InvalidAction',
          `The local engine does not emulate the SNS operation '${operation}'.`,
        );
      const access = { action: actionOf(operation), resource: this.resourceOf(operation, given) };
      const refusal = this.environment.authorize({ identity, ...access });
      if (refusal !== undefined) throw new SnsError('AuthorizationError', refusal, 403);
      answerQuery(response, operation, action.call(this.actions, given));
    } catch (error) {
      if (!(error instanceof SnsError)) throw error;
      answerWithError(request, response, error, 'sns');
    }
  }

  private resourceOf(operation: string, given: URLSearchParams): string {
    if (WITHOUT_RESOURCE.test(operation)) return '*';
    if (operation === 'CreateTopic') return this.topics.arnOf(given.get('Name') ?? '');
    return given.get('TopicArn') ?? given.get('TargetArn') ?? given.get('ResourceArn') ?? '*';
  }
}

export function createSns(environment: Environment, options: SnsOptions): SnsService {
  return new SnsService(environment, options);
}

/** A batch needs no right of its own. https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsns.html */
function actionOf(operation: string): string {
  return `sns:${operation === 'PublishBatch' ? 'Publish' : operation}`;
}
