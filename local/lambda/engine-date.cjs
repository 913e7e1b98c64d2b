'use strict';

/**
 * Replaces Date by one that shows the engine's time, from the given epoch milliseconds on.
 * Answers a function that sets it again.
 */
exports.followEngine = (startMs) => {
  const RealDate = Date;
  // real time: what passes in the handler is added to the engine's time at its start
  const offsetOf = (engineMs) => engineMs - RealDate.now();
  let offset = offsetOf(startMs);

  // real time: shifted to the engine's
  function shiftedNow() {
    return RealDate.now() + offset;
  }

  function EngineDate(...given) {
    if (new.target === undefined) return new RealDate(shiftedNow()).toString();
    return Reflect.construct(RealDate, given.length === 0 ? [shiftedNow()] : given, new.target);
  }

  const { prototype, parse, UTC } = RealDate;
  Object.defineProperties(EngineDate, {
    name: { value: 'Date' },
    length: { value: 7 },
    prototype: { value: prototype },
    now: { value: shiftedNow, writable: true, configurable: true },
    parse: { value: parse, writable: true, configurable: true },
    UTC: { value: UTC, writable: true, configurable: true },
  });
  Object.defineProperty(prototype, 'constructor', {
    value: EngineDate,
    writable: true,
    configurable: true,
  });
  globalThis.Date = EngineDate;

  return (engineMs) => {
    offset = offsetOf(engineMs);
  };
};
