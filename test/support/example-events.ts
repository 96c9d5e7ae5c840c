/**
 * Reads the server-sent events of an answer as one object: each type of event with an event of that type. An answer
 * may send more events of a type than its example, because a text comes in pieces of any size.
 */
export function readEvents(stream: string): Record<string, unknown> {
  const events: Record<string, unknown> = {};
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data: ')) continue;
    const data = line.slice('data: '.length);
    if (!data.startsWith('{')) {
      events[data] = true;
      continue;
    }
    const event = JSON.parse(data) as { type?: string; object?: string };
    events[event.type ?? event.object ?? 'event'] ??= event;
  }
  return events;
}
