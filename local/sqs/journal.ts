import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Queue, QueueChange } from './queue';
import type { QueueListener, QueueRegistry } from './queue-registry';
import { type MessageAttributes, StoredMessage } from './stored-message';

type Line =
  | {
      readonly at: 'queue';
      readonly name: string;
      readonly fifo: boolean;
      readonly attributes: Record<string, string>;
      readonly tags: Record<string, string>;
    }
  | { readonly at: 'deleted'; readonly name: string }
  | { readonly at: 'purged'; readonly name: string }
  | { readonly at: 'message'; readonly name: string; readonly message: SavedMessage }
  | { readonly at: 'state'; readonly name: string; readonly serial: number; readonly state: SavedState }
  | { readonly at: 'removed'; readonly name: string; readonly serial: number };

type SavedState = readonly [
  state: StoredMessage['state'],
  visibleAt: number,
  receiveCount: number,
  receivesHere: number,
  firstReceivedAt: number,
  lastReceivedAt: number,
];

interface SavedMessage {
  readonly fields: readonly unknown[];
  readonly attributes?: Readonly<
    Record<string, { readonly dataType: string; readonly text?: string; readonly bytes?: string }>
  >;
  readonly state: SavedState;
}

/**
 * Every lasting change as a line, written before the caller is answered: what was acknowledged outlives a killed
 * process (not a power cut: nothing is synced to the disk). The next start reads it and writes it anew without what is gone.
 */
export class Journal implements QueueListener {
  private readonly file: string;
  private descriptor: number;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.file = path.join(folder, 'journal.jsonl');
    this.descriptor = openSync(this.file, 'a');
  }

  replay(queues: QueueRegistry): void {
    const messages = new Map<string, Map<number, StoredMessage>>();
    for (const line of this.lines()) {
      const inQueue = messages.get(line.name) ?? new Map<number, StoredMessage>();
      messages.set(line.name, inQueue);
      if (line.at === 'queue') {
        const queue = queues.restore(line.name, line.fifo, line.attributes);
        queue.tags = line.tags;
      } else if (line.at === 'deleted') {
        const queue = queues.find(line.name);
        if (queue !== undefined) queues.delete(queue);
        inQueue.clear();
      } else if (line.at === 'purged') inQueue.clear();
      else if (line.at === 'message') {
        const message = restored(line.message);
        inQueue.set(message.serial, message);
      } else if (line.at === 'removed') inQueue.delete(line.serial);
      else {
        const message = inQueue.get(line.serial);
        if (message !== undefined) applyState(message, line.state);
      }
    }
    this.startAnew();
    for (const queue of queues.all()) {
      this.created(queue);
      for (const message of messages.get(queue.name)?.values() ?? []) {
        queue.restore(message);
        this.changed(queue, { kind: 'added', message });
      }
    }
    this.replaceOld();
  }

  created(queue: Queue): void {
    const { name, fifo, attributes, tags } = queue;
    this.write({ at: 'queue', name, fifo, attributes: { ...attributes }, tags });
  }

  configured(queue: Queue): void {
    this.created(queue);
  }

  deleted({ name }: Queue): void {
    this.write({ at: 'deleted', name });
  }

  changed({ name }: Queue, change: QueueChange): void {
    if (change.kind === 'purged') this.write({ at: 'purged', name });
    else if (change.kind === 'removed') this.write({ at: 'removed', name, serial: change.message.serial });
    else if (change.kind === 'added') this.write({ at: 'message', name, message: saved(change.message) });
    else this.write({ at: 'state', name, serial: change.message.serial, state: stateOf(change.message) });
  }

  close(): void {
    if (this.descriptor >= 0) closeSync(this.descriptor);
    this.descriptor = -1;
  }

  private write(line: Line): void {
    if (this.descriptor >= 0) writeSync(this.descriptor, `${JSON.stringify(line)}\n`);
  }

  private *lines(): Iterable<Line> {
    if (!existsSync(this.file)) return;
    for (const text of readFileSync(this.file, 'utf8').split('\n')) {
      if (text === '') continue;
      try {
        yield JSON.parse(text) as Line;
      } catch {
        // The last line of a process that was killed while it wrote: its caller never got an answer.
        return;
      }
    }
  }

  private startAnew(): void {
    closeSync(this.descriptor);
    this.descriptor = openSync(`${this.file}.new`, 'w');
  }

  private replaceOld(): void {
    renameSync(`${this.file}.new`, this.file);
  }
}

function stateOf(message: StoredMessage): SavedState {
  return [
    message.state,
    message.visibleAt,
    message.receiveCount,
    message.receivesHere,
    message.firstReceivedAt,
    message.lastReceivedAt,
  ];
}

function applyState(message: StoredMessage, state: SavedState): void {
  [
    message.state,
    message.visibleAt,
    message.receiveCount,
    message.receivesHere,
    message.firstReceivedAt,
    message.lastReceivedAt,
  ] = state;
}

function saved(message: StoredMessage): SavedMessage {
  const { attributes } = message;
  return {
    fields: [
      message.serial,
      message.messageId,
      message.body,
      message.senderId,
      message.sentAt,
      message.enqueuedAt,
      message.groupId ?? null,
      message.deduplicationId ?? null,
      message.traceHeader ?? null,
      message.deadLetterSourceArn ?? null,
    ],
    ...(attributes === undefined
      ? {}
      : {
          attributes: Object.fromEntries(
            Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
              name,
              {
                dataType,
                ...(stringValue === undefined ? {} : { text: stringValue }),
                ...(binaryValue === undefined ? {} : { bytes: binaryValue.toString('base64') }),
              },
            ]),
          ),
        }),
    state: stateOf(message),
  };
}

function restored({ fields, attributes, state }: SavedMessage): StoredMessage {
  const [serial, id, body, senderId, sentAt, enqueuedAt, groupId, deduplicationId, traceHeader, source] =
    fields;
  const given: MessageAttributes | undefined =
    attributes &&
    Object.fromEntries(
      Object.entries(attributes).map(([name, { dataType, text, bytes }]) => [
        name,
        {
          dataType,
          ...(text === undefined ? {} : { stringValue: text }),
          ...(bytes === undefined ? {} : { binaryValue: Buffer.from(bytes, 'base64') }),
        },
      ]),
    );
  const optional = (value: unknown): string | undefined => (value === null ? undefined : String(value));
  const message = new StoredMessage(
    Number(serial),
    String(id),
    String(body),
    given,
    String(senderId),
    Number(sentAt),
    Number(enqueuedAt),
    optional(groupId),
    optional(deduplicationId),
    optional(traceHeader),
    optional(source),
  );
  applyState(message, state);
  return message;
}
