/**
 * The roots as a process holds them: keys that wrap data keys, and from which all other keys of the service are derived.
 * New keys are sealed under the active root; each sealed key stands with the number of its root.
 */
import type { KeyObject } from 'node:crypto';
import { createSecretKey } from 'node:crypto';
import { open, seal } from '../../events/sealing.ts';
import { deriveKey } from './derive.ts';

/** `added`: every process shall know it before it is used. `retired`: only some keys derived from it are left. */
export type RootState = 'added' | 'active' | 'old' | 'retired';

/** 32 random bytes, or the keys that are left of them by purpose. */
export type RootMaterial = Buffer | ReadonlyMap<string, Buffer>;

export type Root = { n: number; state: RootState; material: RootMaterial };

/** `version` counts the changes to the roots. */
export type Roots = { version: number; list: readonly Root[] };

/** Something was sealed under a root that this process does not know, or that is retired. */
export class RootUnknown extends Error {
  readonly root: number;
  constructor(root: number) {
    super(`root ${root} is retired, or this process does not know it yet`);
    this.name = 'RootUnknown';
    this.root = root;
  }
}

/**
 * Derived keys that stay when a root retires. They find entries in the log, recognise the service's backups,
 * and open pages without personal data, whose links were printed or handed out.
 */
const keptPurposes = [
  'index',
  'check',
  'tracking-links',
  'certificate-links',
  'audit-links',
] as const;

const rootBytes = 32;

/** As the key-encryption key seals it. */
export const encodeMaterial = (material: RootMaterial): Buffer => {
  if (Buffer.isBuffer(material)) return material;
  const kept = [...material].map(([purpose, key]) => [purpose, key.toString('base64')]);
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
};

/** Undoes `encodeMaterial`. */
export const decodeMaterial = (bytes: Buffer): RootMaterial => {
  if (bytes.length === rootBytes) return bytes;
  const kept = Object.entries(JSON.parse(bytes.toString()) as Record<string, string>);
  return new Map(kept.map(([purpose, key]) => [purpose, Buffer.from(key, 'base64')]));
};

/** The keys that a root leaves when it retires. */
export const keptOf = (material: RootMaterial): RootMaterial =>
  Buffer.isBuffer(material)
    ? new Map(keptPurposes.map((purpose) => [purpose, deriveKey(material, purpose).export()]))
    : material;

/** The key of a purpose. Undefined: the root is retired and did not keep it. */
export const keyOf = (material: RootMaterial, purpose: string): KeyObject | undefined => {
  if (Buffer.isBuffer(material)) return deriveKey(material, purpose);
  const kept = material.get(purpose);
  return kept && createSecretKey(kept);
};

export type Keyring = ReturnType<typeof createKeyring>;

export const createKeyring = (first: Roots) => {
  let roots = first;
  let keys = new Map<string, KeyObject | undefined>();

  const rootNumbered = (n: number): Root => {
    const root = roots.list.find((one) => one.n === n);
    if (!root) throw new RootUnknown(n);
    return root;
  };
  const active = (): number => {
    const root = roots.list.find(({ state }) => state === 'active');
    if (!root) throw new Error('no root is active');
    return root.n;
  };
  /** @throws RootUnknown */
  const keyUnder = (n: number, purpose: string): KeyObject => {
    const name = `${n} ${purpose}`;
    if (!keys.has(name)) keys.set(name, keyOf(rootNumbered(n).material, purpose));
    const key = keys.get(name);
    if (!key) throw new RootUnknown(n);
    return key;
  };

  return {
    /** The number of changes that are known here. */
    version: () => roots.version,
    list: () => roots.list,
    active,
    /** Takes over the roots as they are after a change. An older state is ignored. */
    replace(next: Roots): void {
      if (next.version < roots.version) return;
      roots = next;
      keys = new Map();
    },
    keyUnder,
    /** The key of a purpose under the active root, then under the earlier ones that still have it. */
    keys(purpose: string): [KeyObject, ...KeyObject[]] {
      const earlier = roots.list.filter(
        ({ state, material }) =>
          state === 'old' || (!Buffer.isBuffer(material) && material.has(purpose)),
      );
      return [
        keyUnder(active(), purpose),
        ...earlier.toReversed().map(({ n }) => keyUnder(n, purpose)),
      ];
    },
    /** Seals under the active root, whose number stands next to the result. */
    seal(plain: Buffer, purpose: string, context: string): { sealed: string; root: number } {
      const root = active();
      return { sealed: seal(plain, keyUnder(root, purpose), context), root };
    },
    /** @throws RootUnknown; Error when something was changed */
    open: (
      { sealed, root }: { sealed: string; root: number },
      purpose: string,
      context: string,
    ): Buffer => open(sealed, keyUnder(root, purpose), context),
  };
};
