/** A request of somebody who is signed in to the operator's console. */
import type { OperatorSession } from '../../../contract/operator-session.ts';
import type { PortalRequest } from '../../../contract/portal.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { Html } from '../../html.ts';
import type { Desk } from './desk.ts';
import type { OperatorRoom } from './operator-rooms.ts';

export type OperatorVisit = {
  session: OperatorSession;
  language: Language;
  desk: Desk;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  form: URLSearchParams;
  /** The client's address. */
  address: string;
  /** The address of a page: `/jobs` → `/console/operator/jobs`, below the public address. */
  at(path: string): string;
  /** Below the public address: `/audit/page.css`. */
  file(path: string): string;
  call: PortalRequest['call'];
};

export type OperatorView =
  /** A page without a title bears the name of its room. */
  | { title?: string; body: Html; status?: number }
  /** The next page, after the action is done. */
  | { goTo: string }
  /** A public page of the service. */
  | { leaveFor: string }
  /** A page with a frame of its own. */
  | { page: string }
  | { file: Buffer; type: string; name: string };

export type OperatorRoute = {
  method: 'GET' | 'POST';
  /** Below `/console/operator`, with `{braces}` for parameters. */
  path: string;
  room: OperatorRoom;
  /** Auditors may use it too. */
  forAuditors?: true;
  handle(visit: OperatorVisit): Promise<OperatorView>;
};

const routeOf =
  (method: OperatorRoute['method']) =>
  (path: string, room: OperatorRoom, handle: OperatorRoute['handle']): OperatorRoute => ({
    method,
    path,
    room,
    handle,
  });

export const pageAt = routeOf('GET');
export const formAt = routeOf('POST');

/** There is no such page, letter or account. */
export class Missing extends Error {}

/** @throws Missing */
export const found = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Missing();
  return value;
};

/** A form that answers with a page of the console and one of the notices. */
export const shown = (page: string, said: string): OperatorView => ({
  goTo: `${page}?said=${said}`,
});
