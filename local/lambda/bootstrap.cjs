'use strict';
// The runtime of one execution environment: fetches invocations from the Runtime API, calls the handler, answers.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
const http = require('node:http');
const path = require('node:path');
const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const { format } = require('node:util');
const { followEngine } = require('./engine-date.cjs');

const [authority, ...prefix] = process.env.AWS_LAMBDA_RUNTIME_API.split('/');
const [host, port] = authority.split(':');
const base = `/${prefix.join('/')}/2018-06-01/runtime`;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const json = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON';
const engineNow = process.env.LOCAL_ENGINE_CLOCK;
const promisesOnly = Number(/nodejs(\d+)/.exec(process.env.AWS_EXECUTION_ENV)?.[1] ?? 0) >= 24;
delete process.env.LOCAL_ENGINE_CLOCK;
const setEngineTime = engineNow === undefined ? () => {} : followEngine(Number(engineNow));
let requestId = '';
let running = false;
let ready = false;
let onEmptyLoop;

// A handler may replace what it finds; the marks at the end of an invocation must come through.
const toStdout = process.stdout.write.bind(process.stdout);
const toStderr = process.stderr.write.bind(process.stderr);
let stderrUsed = false;
process.stderr.write = (...given) => {
  stderrUsed = true;
  return toStderr(...given);
};

function errorFields(error) {
  const stack = typeof error.stack === 'string' ? error.stack.split('\n') : [];
  return {
    errorType: error.constructor?.name ?? 'UnknownError',
    errorMessage: error.message,
    stackTrace: stack,
  };
}

function timestamp() {
  // real time: Date is the engine's by now, where the clock is simulated
  return new Date().toISOString();
}

function jsonLine(level, given) {
  const line = { timestamp: timestamp(), level, requestId };
  if (given.length === 1) {
    try {
      return JSON.stringify({ ...line, message: given[0] }, (_key, value) =>
        value instanceof Error ? { ...errorFields(value), ...value } : value,
      );
    } catch {
      return JSON.stringify({ ...line, message: format(given[0]) });
    }
  }
  const error = given.find((one) => one instanceof Error);
  return JSON.stringify({
    ...line,
    message: format(...given),
    ...(error === undefined ? {} : errorFields(error)),
  });
}

for (const [method, level] of Object.entries({
  log: 'INFO',
  info: 'INFO',
  debug: 'DEBUG',
  warn: 'WARN',
  error: 'ERROR',
  trace: 'TRACE',
  fatal: 'FATAL',
}))
  console[method] = (...given) => {
    const line = json
      ? jsonLine(level, given)
      : `${timestamp()}\t${requestId}\t${level}\t${format(...given)}`;
    toStdout(`${line.replace(/\n/g, '\r')}\n`);
  };

function logError(what, error) {
  if (json) console.error(error instanceof Error ? error : new Error(String(error)));
  else {
    const { trace, ...named } = described(error);
    console.error(what, `\t${JSON.stringify({ ...named, ...Object(error), stack: trace })}`);
  }
}

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
  if (error instanceof Error || (error?.name && error.message && error.stack))
    return { errorType: error.name, errorMessage: error.message, trace: String(error.stack).split('\n') };
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

function runtimeError(name, message) {
  return Object.assign(new Error(message), { name: `Runtime.${name}` });
}

function isEsModule(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'package.json');
    if (fs.existsSync(found)) return JSON.parse(fs.readFileSync(found, 'utf8')).type === 'module';
    if (folder === path.dirname(folder)) return false;
  }
}

async function loadFile(start, name) {
  const found = ['', '.js', '.mjs', '.cjs'].find((end) =>
    fs.statSync(start + end, { throwIfNoEntry: false })?.isFile(),
  );
  if (found === undefined) return require(require.resolve(name, { paths: [process.env.LAMBDA_TASK_ROOT] }));
  const file = start + found;
  return found === '.mjs' || (found === '.js' && isEsModule(file))
    ? import(pathToFileURL(file))
    : require(file);
}

async function load() {
  const handler = process.env._HANDLER;
  const [, name, exported] = /^([^.]*)\.(.*)$/.exec(path.basename(handler)) ?? [];
  if (name === undefined || handler.includes('..')) throw runtimeError('MalformedHandlerName', 'Bad handler');
  let loaded;
  try {
    loaded = await loadFile(path.resolve(process.env.LAMBDA_TASK_ROOT, path.dirname(handler), name), name);
  } catch (error) {
    if (error instanceof SyntaxError) throw runtimeError('UserCodeSyntaxError', String(error));
    if (error?.code === 'MODULE_NOT_FOUND') throw runtimeError('ImportModuleError', String(error));
    throw error;
  }
  const value = exported.split('.').reduce((owner, key) => owner?.[key], loaded);
  if (!value) throw runtimeError('HandlerNotFound', `${handler} is undefined or not exported`);
  if (typeof value !== 'function') throw runtimeError('HandlerNotFound', `${handler} is not a function`);
  if (promisesOnly && value.length >= 3 && value.constructor.name !== 'AsyncFunction')
    throw runtimeError(
      'CallbackHandlerDeprecated',
      'Node.js 24 and later have no callback-based handlers: make the handler async, or use nodejs22.x',
    );
  return value;
}

/** What the handler answers, by promise or, up to Node.js 22, by callback. */
function outcomeOf(handler, event, headers) {
  return new Promise((resolve, reject) => {
    const neverSettled = () =>
      reject(runtimeError('NodeJsExit', 'The handler ended without an answer: a promise was never settled'));
    let waits = true;
    const done = (error, value) => (error === undefined || error === null ? resolve(value) : reject(error));
    const callback = (error, value) => {
      if (waits && (error === undefined || error === null)) onEmptyLoop = () => resolve(value);
      else done(error, value);
    };
    const deadline = Number(headers['lambda-runtime-deadline-ms']);
    const context = {
      awsRequestId: requestId,
      invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
      // real time: Date is the engine's by now, where the clock is simulated
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    };
    if (promisesOnly) {
      onEmptyLoop = neverSettled;
      resolve(handler(event, context));
      return;
    }
    onEmptyLoop = handler.constructor.name === 'AsyncFunction' ? neverSettled : () => resolve(null);
    Object.defineProperty(context, 'callbackWaitsForEmptyEventLoop', {
      enumerable: true,
      get: () => waits,
      set: (value) => {
        waits = value;
      },
    });
    Object.assign(context, {
      done,
      succeed: (value) => done(null, value),
      fail: (error) => done(error ?? 'handled'),
    });
    const result = handler(event, context, callback);
    if (typeof result?.then === 'function') result.then(resolve, reject);
  });
}

function written(write) {
  return new Promise((resolve) => write(`\u0000${requestId}\n`, resolve));
}

/** Posts the answer once everything that was logged before it is on its way. */
async function answer(kind, body) {
  const streams = stderrUsed ? 2 : 1;
  await written(toStdout);
  if (stderrUsed) await written(toStderr);
  stderrUsed = false;
  await call('POST', `/invocation/${requestId}/${kind}`, body, {
    'local-engine-streams': String(streams),
    'local-engine-memory-kb': String(process.resourceUsage().maxRSS),
  });
}

function crash(what, error, exitCode) {
  logError(what, error);
  const body = JSON.stringify(described(error));
  const told = running
    ? answer('error', body)
    : ready
      ? Promise.resolve()
      : call('POST', '/init/error', body);
  running = false;
  const exit = () => process.exit(exitCode);
  told.then(exit, exit);
}

async function invoke(handler, headers, body) {
  try {
    const value = await outcomeOf(handler, JSON.parse(body), headers);
    const text = JSON.stringify(value === undefined ? null : value) ?? 'null';
    if (running) await answer('response', text);
  } catch (error) {
    if (!running) return;
    logError('Invoke Error', error);
    await answer('error', JSON.stringify(described(error)));
  }
}

async function main() {
  process.on('beforeExit', () => onEmptyLoop?.());
  process.on('uncaughtException', (error) => crash('Uncaught Exception', error, 129));
  process.on('unhandledRejection', (reason) =>
    crash('Unhandled Promise Rejection', runtimeError('UnhandledPromiseRejection', String(reason)), 128),
  );
  let handler;
  try {
    handler = await load();
  } catch (error) {
    crash('Uncaught Exception', error, 1);
    return;
  }
  ready = true;
  for (;;) {
    const { headers, body } = await call('GET', '/invocation/next');
    requestId = headers['lambda-runtime-aws-request-id'];
    setEngineTime(Number(headers['local-engine-now']));
    running = true;
    await invoke(handler, headers, body);
    running = false;
    onEmptyLoop = undefined;
  }
}

// The engine is gone: nobody is left to report to.
main().catch(() => process.exit(1));
