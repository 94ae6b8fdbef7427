import { browserTransport, Connection } from './connection';

/** The one connection of this tab. */
export const connection = new Connection(browserTransport);
