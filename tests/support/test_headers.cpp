// SPDX-License-Identifier: Apache-2.0
// Owns the precompiled headers of all tests; does nothing.
int main() { return 0; }
