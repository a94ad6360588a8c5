// SPDX-License-Identifier: Apache-2.0
#include "process/frame.hpp"

#include <gtest/gtest.h>

namespace kerntune::process {
namespace {

TEST(Frame, ComesBackWhole) {
  FrameReader reader;
  reader.feed(encode_frame({"{\"a\":1}", std::string("\0\1\2", 3)}));
  const auto message = reader.next();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text, "{\"a\":1}");
  EXPECT_EQ(message->blob, std::string("\0\1\2", 3));
  EXPECT_FALSE(reader.next());
}

TEST(Frame, IsCutFromAnyPieces) {
  const std::string stream = encode_frame({"first", ""}) + encode_frame({"", "second"});
  FrameReader reader;
  std::vector<Message> messages;
  for (const char c : stream) {
    reader.feed({&c, 1});
    while (auto message = reader.next()) messages.push_back(*message);
  }
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].text, "first");
  EXPECT_EQ(messages[1].blob, "second");
}

TEST(Frame, RefusesWhatIsNotAFrame) {
  FrameReader reader;
  reader.feed("a plugin that prints to the wrong place");
  EXPECT_THROW((void)reader.next(), ProtocolError);
}

TEST(Frame, RefusesAChangedByte) {
  std::string frame = encode_frame({"text", "blob"});
  frame.back() ^= 1;
  FrameReader reader;
  reader.feed(frame);
  EXPECT_THROW((void)reader.next(), ProtocolError);
}

TEST(Frame, RefusesAnAbsurdSizeBeforeWaitingForIt) {
  std::string frame = encode_frame({"", ""});
  frame[12] = 0x7F;  // high half of the blob's size
  FrameReader reader;
  reader.feed(frame);
  EXPECT_THROW((void)reader.next(), ProtocolError);
}

TEST(Frame, RefusesSizesWhoseSumWraps) {
  std::string frame = encode_frame({"", ""});
  frame[4] = 16;  // text of 16 bytes, blob of 2^64 - 16
  for (std::size_t i = 8; i < 16; ++i) frame[i] = '\xff';
  frame[8] = '\xf0';
  FrameReader reader;
  reader.feed(frame);
  EXPECT_THROW((void)reader.next(), ProtocolError);
}

TEST(Frame, RefusesForeignBytesAtTheFirstOne) {
  FrameReader reader;
  reader.feed("h");
  EXPECT_THROW((void)reader.next(), ProtocolError);
}

}  // namespace
}  // namespace kerntune::process
