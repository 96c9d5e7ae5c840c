/** Stands in bodies where a secret goes. */
export const SECRET = '<secret>';

type Json = Record<string, unknown>;

/** Secrets that begin alike, so that one search finds all of them, and the fields that each was sent in. */
export class Planting {
  /** Part of each secret. Letters and digits only, so URLs and JSON write it as it is. */
  readonly mark = `Pl4nted${crypto.randomUUID().slice(0, 8)}`;
  /** `METHOD path field`, as in `POST /api/v1/data-sinks .component.api_key`. */
  readonly fields = new Set<string>();
  #count = 0;

  next(): string {
    this.#count += 1;
    return `${this.mark}x${this.#count}x`;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the body with a fresh secret at each `SECRET`, and notes the field under the operation's name. */
  fill(operation: string, body: unknown, field = ''): unknown {
    if (typeof body === 'string') {
      if (!body.includes(SECRET)) return body;
      this.fields.add(`${operation} ${field}`);
      return body.replaceAll(SECRET, () => this.next());
    }
    if (Array.isArray(body)) return body.map((item) => this.fill(operation, item, `${field}[]`));
    if (typeof body !== 'object' || body === null) return body;
    const members = Object.entries(body).map(([name, value]) => [
      name,
      this.fill(operation, value, `${field}.${name === 'X-Any' ? '*' : name}`),
    ]);
    return Object.fromEntries(members);
  }

  /** The secrets of this test in a text, also where they stand in a Basic credential. */
  find(text: string): string[] {
    const decoded = [...text.matchAll(/[\w+/=-]{24,}/g)].map(([word]) =>
      Buffer.from(word, 'base64').toString('latin1'),
    );
    const all = [text, ...decoded].flatMap((each) => each.match(new RegExp(`${this.mark}x\\d+x`, 'g')) ?? []);
    return [...new Set(all)];
  }

  /** Returns whether bytes contain a secret of this test, as text or inside base64. */
  isIn(bytes: Buffer): boolean {
    return this.#forms.some((form) => bytes.includes(form));
  }

  /** The mark as UTF-8, as UTF-16 and in the three ways in which base64 writes it inside of longer texts. */
  get #forms(): Buffer[] {
    const inBase64 = [0, 1, 2].map((shift) => {
      const text = Buffer.from(' '.repeat(shift) + this.mark).toString('base64');
      // The letters at both ends depend on what stands before and behind.
      return text.slice(shift === 0 ? 0 : 4, -4);
    });
    return [...[this.mark, ...inBase64].map((text) => Buffer.from(text)), Buffer.from(this.mark, 'utf16le')];
  }
}

/** Lists `METHOD path field` for each secret field in the body of an operation of an OpenAPI document. */
export function listSecretFields(description: Json): string[] {
  const found = new Set<string>();
  for (const [path, item] of Object.entries(description.paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(item)) {
      const { content = {} } = ((operation as Json).requestBody ?? {}) as { content?: Record<string, Json> };
      for (const { schema } of Object.values(content)) {
        walk(description, schema as Json, '', (field) =>
          found.add(`${method.toUpperCase()} ${path} ${field}`),
        );
      }
    }
  }
  return [...found].toSorted();
}

function walk(
  description: Json,
  schema: Json,
  field: string,
  report: (field: string) => void,
  within: readonly string[] = [],
): void {
  const into = (inner: unknown, at: string, inside = within) => {
    if (typeof inner === 'object' && inner !== null) walk(description, inner as Json, at, report, inside);
  };
  const { $ref } = schema as { $ref?: string };
  if ($ref) {
    if (!within.includes($ref)) into(resolveReference(description, $ref), field, [...within, $ref]);
    return;
  }
  if (schema.format === 'password') report(field);
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    for (const branch of (schema[name] ?? []) as unknown[]) into(branch, field);
  }
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Json)) {
    into(member, `${field}.${name}`);
  }
  into(schema.items, `${field}[]`);
  into(schema.additionalProperties, `${field}.*`);
}

const resolveReference = (description: Json, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((value: unknown, name) => (value as Json)[name.replaceAll('~1', '/')], description);
