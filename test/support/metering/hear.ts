type Method = (...args: unknown[]) => unknown;

/**
 * The same object; `tell` hears of each call of a method, with what it is about to give, and may give something else
 * in its place.
 */
export function heard<Of extends object>(
  target: Of,
  tell: (name: string, args: unknown[], given: unknown) => unknown,
): Of {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      // What a stub gives has no methods of a function: each of its members is the other side's.
      return (...args: unknown[]) => tell(String(name), args, Reflect.apply(member as Method, target, args));
    },
  });
}

/** Another function in the place of a method of this one object, which calls the one it replaces. */
export function replaced(target: object, name: string, by: (method: Method) => Method): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') throw new Error(`the platform has no ${name} where it is to be counted`);
  Object.defineProperty(target, name, { value: by((method as Method).bind(target)), configurable: true });
}
