import otlp from '@opentelemetry/otlp-transformer/build/src/generated/root.js';

/** Collector of the OpenTelemetry protocol that accepts only what the protocol's own definition allows. */

interface Message {
  verify(value: object): string | null;
  fromObject(value: object): object;
  toObject(message: object, options: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

const TraceRequest = (
  otlp as unknown as {
    opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Message } } } } };
  }
).opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const ID_LENGTHS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 };

/**
 * Decodes a request in JSON and encodes it as Protocol Buffers. Returns undefined if the request is valid, and what is
 * wrong with it otherwise: a wrong type, an unknown member, or an id that is not hexadecimal.
 */
export function findProblem(body: string): string | undefined {
  try {
    const given = JSON.parse(body) as object;
    // The protocol writes ids in hexadecimal, unlike the general mapping of bytes to JSON.
    const request = JSON.parse(body, (key, value) => {
      const length = ID_LENGTHS[key];
      if (length === undefined) return value;
      if (typeof value !== 'string' || value.length !== length || !/^[0-9a-f]+$/.test(value))
        throw new Error(`${key} is no id of ${length / 2} bytes`);
      return Buffer.from(value, 'hex').toString('base64');
    }) as object;
    const message = TraceRequest.fromObject(request);
    const wrong = TraceRequest.verify(message);
    if (wrong) return wrong;
    const decoded = TraceRequest.decode(TraceRequest.encode(message).finish());
    const seen = TraceRequest.toObject(decoded, { longs: String, bytes: String });
    return JSON.stringify(sortMembers(seen)) === JSON.stringify(sortMembers(request))
      ? undefined
      : `some members were not understood: ${JSON.stringify(given)}`;
  } catch (error) {
    return String(error);
  }
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sortMembers(member)]));
}
