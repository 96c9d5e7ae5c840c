/**
 * Parses a list of headers as in OTEL_EXPORTER_OTLP_HEADERS: pairs such as `authorization=Basic%20abc`, separated by commas. Values are
 * percent-encoded. Pairs without a name or with an invalid encoding are ignored.
 */
export function parseHeaderList(list: string | undefined): [name: string, value: string][] {
  return (list ?? '').split(',').flatMap((pair): [string, string][] => {
    const end = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, end)).trim();
    if (name === '') return [];
    try {
      return [[name, decodeURIComponent(pair.slice(end + 1).trim())]];
    } catch {
      return [];
    }
  });
}
