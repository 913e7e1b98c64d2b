'use strict';
// The runtime of one execution environment: fetches invocations from the Runtime API, calls the handler, answers.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
const http = require('node:http');
const path = require('node:path');
const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const { format } = require('node:util');

const [authority, ...prefix] = process.env.AWS_LAMBDA_RUNTIME_API.split('/');
const [host, port] = authority.split(':');
const base = `/${prefix.join('/')}/2018-06-01/runtime`;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const json = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON';
const simulated = process.env.LOCAL_ENGINE_CLOCK === 'simulated';
delete process.env.LOCAL_ENGINE_CLOCK;
const RealDate = Date;
let offset = 0;
let requestId = '';

if (simulated) {
  class EngineDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + offset);
      else super(...given);
    }
    static now() {
      return RealDate.now() + offset;
    }
  }
  Object.defineProperty(EngineDate, 'name', { value: 'Date' });
  globalThis.Date = EngineDate;
}

for (const [method, level] of Object.entries({
  log: 'INFO',
  info: 'INFO',
  debug: 'DEBUG',
  warn: 'WARN',
  error: 'ERROR',
  trace: 'TRACE',
}))
  console[method] = (...given) => {
    // real time: Date is the engine's by now, where the clock is simulated
    const timestamp = new Date().toISOString();
    const message = format(...given);
    process.stdout.write(
      json
        ? `${JSON.stringify({ timestamp, level, requestId, message })}\n`
        : `${timestamp}\t${requestId}\t${level}\t${message.replace(/\n/g, '\r')}\n`,
    );
  };

function call(method, url, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : Buffer.from(body);
    const request = http.request(
      {
        host,
        port,
        agent,
        method,
        path: base + url,
        headers: payload === undefined ? headers : { ...headers, 'content-length': payload.length },
      },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

function described(error) {
  if (error instanceof Error)
    return { errorType: error.name, errorMessage: error.message, trace: String(error.stack).split('\n') };
  return {
    errorType: typeof error === 'string' ? 'string' : 'Error',
    errorMessage: format(error),
    trace: [],
  };
}

class LoadError extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

async function load() {
  const root = process.env.LAMBDA_TASK_ROOT;
  const handler = process.env._HANDLER;
  const folder = path.dirname(handler);
  const [file, ...names] = path.basename(handler).split('.');
  const found = ['.mjs', '.js', '.cjs'].map((end) => path.join(root, folder, file + end)).find(fs.existsSync);
  if (found === undefined)
    throw new LoadError('Runtime.ImportModuleError', `Error: Cannot find module '${file}'`);
  let loaded;
  try {
    loaded = found.endsWith('.mjs') ? await import(pathToFileURL(found)) : require(found);
  } catch (error) {
    if (
      error?.code === 'ERR_REQUIRE_ESM' ||
      /Cannot use import statement|Unexpected token 'export'/.test(String(error))
    )
      loaded = await import(pathToFileURL(found));
    else if (error?.code === 'MODULE_NOT_FOUND' || error?.code === 'ERR_MODULE_NOT_FOUND')
      throw new LoadError('Runtime.ImportModuleError', `Error: ${error.message}`);
    else throw error;
  }
  const value =
    names.reduce((owner, name) => owner?.[name], loaded) ??
    names.reduce((owner, name) => owner?.[name], loaded.default);
  if (typeof value !== 'function')
    throw new LoadError('Runtime.HandlerNotFound', `${handler} is undefined or not exported`);
  return value;
}

function contextOf(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    callbackWaitsForEmptyEventLoop: true,
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    // real time: Date is the engine's by now, where the clock is simulated
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function run(handler, event, context) {
  if (handler.length < 3) return handler(event, context);
  return new Promise((resolve, reject) => {
    const result = handler(event, context, (error, value) => (error ? reject(error) : resolve(value)));
    if (typeof result?.then === 'function') result.then(resolve, reject);
  });
}

function flushed() {
  return new Promise((resolve) => process.stdout.write(`\u0000${requestId}\n`, resolve));
}

async function main() {
  let handler;
  try {
    handler = await load();
  } catch (error) {
    await call('POST', '/init/error', JSON.stringify(described(error)));
    process.exit(1);
  }
  for (;;) {
    const { headers, body } = await call('GET', '/invocation/next');
    requestId = headers['lambda-runtime-aws-request-id'];
    if (simulated) offset = Number(headers['local-engine-now']) - RealDate.now();
    process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'] ?? '';
    let answer;
    try {
      const value = await run(handler, JSON.parse(body), contextOf(headers));
      answer = ['response', JSON.stringify(value === undefined ? null : value)];
    } catch (error) {
      const problem = described(error);
      console.error('Invoke Error', JSON.stringify(problem));
      answer = ['error', JSON.stringify(problem)];
    }
    await flushed();
    await call('POST', `/invocation/${requestId}/${answer[0]}`, answer[1]);
  }
}

main().catch((error) => {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
});
