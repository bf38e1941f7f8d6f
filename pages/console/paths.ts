/** Where the consoles are. A file of its own, so that processes that show no pages load none. */
export const consolePath = '/console';
export const operatorPath = '/console/operator';
