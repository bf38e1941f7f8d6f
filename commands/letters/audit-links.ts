import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { type BoundTo, boundToMaker, lastMomentOf, type Maker } from '../../contract/bounds.ts';
import type { Clock } from '../../ground/clock.ts';
import { isMadeWith, type RotatingKey } from '../../ground/rotating-key.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  type AuditLink,
  auditLinkAggregate,
  createAuditLink,
  isOpen,
  openLinksIfFull,
  revokeAuditLink,
} from './audit-link.ts';

type Ports = {
  handler: CommandHandler;
  clock: Clock;
  /** For this purpose only. */
  key: RotatingKey;
  /** Whether something has ended that a link is bound to. */
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
};

/** 72 bits: one of a letter's links. */
const linkIdOf = (commandId: string): string =>
  createHash('sha256')
    .update(`audit link\n${commandId}`)
    .digest()
    .subarray(0, 9)
    .toString('base64url');

const linkIdLength = 12;

const tokensOf = (key: KeyObject | Buffer) => {
  /** 132 bits. */
  const codeOf = (text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  const tokenOf = (letterId: string, linkId: string): string =>
    `${linkId}.${codeOf(`link\n${letterId}\n${linkId}`)}`;
  /** Links from before they were kept: they say themselves when they end, and cannot be revoked. */
  const unkeptTokenOf = (letterId: string, expiry: string): string =>
    `${expiry}.${codeOf(`${letterId}\n${expiry}`)}`;
  return { tokenOf, unkeptTokenOf };
};

/** The links that ended with their credential, where they could take the place of a new one. */
const endedIdsOf = async (
  { handler, hasEnded }: Pick<Ports, 'handler' | 'hasEnded'>,
  letterId: string,
  nowSeconds: number,
): Promise<Set<string>> => {
  const { state } = await handler.load(auditLinkAggregate, letterId);
  const open = openLinksIfFull(state, nowSeconds);
  const ended = await Promise.all(open.map(({ boundTo }) => hasEnded(boundTo)));
  return new Set(open.filter((_, index) => ended[index]).map(({ linkId }) => linkId));
};

export type AuditLinks = ReturnType<typeof createAuditLinks>;

/** Links to the audit page of a letter. A link proves itself before anything is read. */
export const createAuditLinks = ({ handler, clock, key, hasEnded }: Ports) => {
  const nowSeconds = (): number => Math.floor(clock() / 1_000);
  const linksOf = async (letterId: string) =>
    (await handler.load(auditLinkAggregate, letterId)).state.links;

  const isAlive = async (link: AuditLink): Promise<boolean> =>
    isOpen(link, nowSeconds()) && !(await hasEnded(link.boundTo));

  return {
    /** @throws AppError audit_link_limit_reached, idempotency_key_reused, scope_insufficient */
    async create(
      link: { accountId: string; letterId: string; lifetimeSeconds: number; requestHash: string },
      maker: Maker,
      context: CommandContext,
    ) {
      const { accountId, letterId, lifetimeSeconds, requestHash } = link;
      const linkId = linkIdOf(context.commandId);
      const now = nowSeconds();
      const last = Math.floor(lastMomentOf(maker) / 1_000);
      const data = {
        accountId,
        letterId,
        linkId,
        requestHash,
        expiresAt: Math.min(now + lifetimeSeconds, last),
        boundTo: boundToMaker(maker),
      };
      const endedIds = await endedIdsOf({ handler, hasEnded }, letterId, now);
      const command = { type: 'CreateAuditLink' as const, data, nowSeconds: now, endedIds };
      const outcome = await handler.handle(
        auditLinkAggregate,
        letterId,
        { ...context, oneStream: true },
        (state) => createAuditLink(state, command),
      );
      const { position, events } = outcome;
      const made = outcome.state.links.get(linkId);
      const expiresAt = made?.expiresAt ?? data.expiresAt;
      const token = tokensOf(key()[0]).tokenOf(letterId, linkId);
      const replayed = events.length === 0;
      return { linkId, token, expiresAt, createdAt: made?.createdAt, position, replayed };
    },

    /** Those that open the letter now, newest first. */
    async list(letterId: string): Promise<AuditLink[]> {
      const links = [...(await linksOf(letterId)).values()].toReversed();
      const alive = await Promise.all(links.map(isAlive));
      return links.filter((_, index) => alive[index]);
    },

    /** @throws AppError audit_link_not_found */
    async revoke(
      link: { accountId: string; letterId: string; linkId: string },
      context: CommandContext,
    ) {
      const command = { type: 'RevokeAuditLink' as const, ...link };
      const { state, position } = await handler.handle(
        auditLinkAggregate,
        link.letterId,
        context,
        (book) => revokeAuditLink(book, command),
      );
      return { revokedAt: state.links.get(link.linkId)?.revokedAt ?? '', position };
    },

    /** Whether the text opens the page of this letter now. */
    async opens(token: string, letterId: string): Promise<boolean> {
      const [first = ''] = token.split('.', 1);
      const kept = first.length === linkIdLength;
      const isOurs = isMadeWith(key, token, (one) => {
        const { tokenOf, unkeptTokenOf } = tokensOf(one);
        return (kept ? tokenOf : unkeptTokenOf)(letterId, first);
      });
      if (!isOurs) return false;
      if (!kept) return Number.parseInt(first, 36) > nowSeconds();
      const link = (await linksOf(letterId)).get(first);
      return link !== undefined && (await isAlive(link));
    },
  };
};
