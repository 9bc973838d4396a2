/** Something in the settings keeps a channel from being opened. The message says what to change. */
export class ChannelFault extends Error {
  override name = 'ChannelFault'
}
