import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Peer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

async function listening(server: Server): Promise<Peer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the body, parses it, and answers what SQS would in size: a server without any logic. */
export function bareServer(): Promise<Peer> {
  const result = (id: number) => ({
    Id: String(id),
    MessageId: 'x'.repeat(36),
    MD5OfMessageBody: 'x'.repeat(32),
  });
  const message = {
    MessageId: 'x'.repeat(36),
    ReceiptHandle: 'x'.repeat(60),
    MD5OfBody: 'x'.repeat(32),
    Body: 'x'.repeat(500),
  };
  return listening(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const receives = String(request.headers['x-amz-target']).endsWith('.ReceiveMessage');
        const ten = Array.from({ length: 10 });
        const body = JSON.stringify(
          receives ? { Messages: ten.map(() => message) } : { Successful: ten.map((_, id) => result(id)) },
        );
        response.writeHead(200, {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      });
    }),
  );
}

/** dynalite as it comes, with its own server. */
export function plainDynalite(): Promise<Peer> {
  const dynalite = require('dynalite') as (options: object) => Server;
  return listening(dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }));
}
