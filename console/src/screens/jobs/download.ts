/** Hands a text to the browser as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** RFC 4180. Texts that spreadsheets would run as formulas get an apostrophe, for documents are anyone's. */
export function csvOf(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const cell = (value: unknown) => {
    const text = value == null ? '' : String(value);
    const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((name) => cell(row[name])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** The leaves of a value by their places: `lines.0.amount`. */
export function leavesOf(value: unknown, place = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [place]: value };
  const parts = Object.entries(value);
  return Object.assign({}, ...parts.map(([name, each]) => leavesOf(each, place ? `${place}.${name}` : name)));
}
