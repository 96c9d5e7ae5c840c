type Method = (...args: unknown[]) => unknown;

/** Returns a proxy that passes each method call and its result to `tell`, which can replace the result. */
export function heard<Of extends object>(
  target: Of,
  tell: (name: string, args: unknown[], given: unknown) => unknown,
): Of {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      // Members of an RPC stub are remote, so call the member with `Reflect.apply` instead of `member.apply`.
      return (...args: unknown[]) => tell(String(name), args, Reflect.apply(member as Method, target, args));
    },
  });
}

/** Replaces a method of one object with a function that wraps it. */
export function replaced(target: object, name: string, by: (method: Method) => Method): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') throw new Error(`the platform has no ${name} where it is to be counted`);
  Object.defineProperty(target, name, { value: by((method as Method).bind(target)), configurable: true });
}
