import type { Behaviour } from '../behaviour.ts';
import { LossyStore } from '../losses.ts';
import type { Fault, Mount, Seen, SessionState, Settings } from '../protocol.ts';
import type { Description } from './description.ts';

export interface Vendor {
  behaviour: Behaviour;
  description: Description;
}

/** Vendors of one test, with their data, recorded requests and planned faults. */
export class Session implements SessionState {
  readonly seen: Seen[] = [];
  readonly mistakes: string[] = [];
  mostAtOnce = 0;
  readonly faults: Fault[] = [];
  readonly memory = new Map<string, unknown>();
  readonly losses = new LossyStore(this.memory);
  readonly #mounts: (Omit<Mount, 'vendor'> & Vendor)[];
  #running = 0;

  /** Throws if a mount names an unknown vendor. */
  constructor(mounts: Mount[], vendors: ReadonlyMap<string, Vendor>) {
    this.#mounts = mounts.map(({ vendor: name, ...mount }) => {
      const vendor = vendors.get(name);
      if (!vendor) throw new Error(`no vendor ${name}: ${[...vendors.keys()].join(', ')}`);
      return { ...mount, ...vendor };
    });
  }

  /** Finds the vendor of a URL. */
  find(url: URL): (Vendor & { settings: Settings; path: string }) | undefined {
    for (const { behaviour, description, base, settings } of this.#mounts) {
      const path = description.matchPath(url, base);
      if (path !== undefined)
        return { behaviour, description, path, settings: { ...behaviour.settings, ...settings } };
    }
    return undefined;
  }

  /** Adds settings to a vendor. */
  hold(name: string, settings: Settings): void {
    for (const mount of this.#mounts) {
      if (mount.behaviour.name === name) mount.settings = { ...mount.settings, ...settings };
    }
  }

  nextFault(operation: string): Fault | undefined {
    const at = this.faults.findIndex(({ on }) => on === undefined || on === operation);
    return at < 0 ? undefined : this.faults.splice(at, 1)[0];
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  get state(): SessionState {
    const { seen, mistakes, mostAtOnce } = this;
    return { seen, mistakes, mostAtOnce };
  }
}
