{ MD5 (RFC 1321) that needs no library: the block function in Pascal and in assembly for x86-64 (Free Pascal's; Delphi compiles Pascal), and a context of three functions.

  Each step waits for the one before: five operations in rounds 1 and 4, four in rounds 2 and 3. Round 2's function, (b and d) or (c and not d), is written as a sum, which
  it is because no bit is set in both halves, so that only one half waits for b. 4.5 operations on average for 64 steps make 4.5 cycles a byte the least. }
unit Md5Kernels;

{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$ASMMODE INTEL}{$ENDIF}
{$Q-}{$R-}

interface

type
  TMD5Digest = array[0..15] of Byte;
  TMD5State = array[0..3] of Cardinal;

  { A digest in the making: a plain record, which may be copied half-way. }
  TMD5Context = record
    State: TMD5State;
    Len: UInt64;                  { bytes so far }
    Rest: array[0..63] of Byte;   { those after the last whole block }
  end;

  { Count blocks of 64 bytes go into the state. }
  TMD5Blocks = procedure(var State: TMD5State; Data: Pointer; Count: NativeUInt);

procedure MD5Init(out Context: TMD5Context);
procedure MD5Update(var Context: TMD5Context; Data: Pointer; Len: NativeUInt);
{ Ends the message and wipes the context. }
procedure MD5Final(var Context: TMD5Context; out Digest: TMD5Digest);
{ All three. }
function MD5(Data: Pointer; Len: NativeUInt): TMD5Digest;

procedure MD5BlocksPascal(var State: TMD5State; Data: Pointer; Count: NativeUInt);
{$IFDEF CPUX86_64}
procedure MD5BlocksAsm(var State: TMD5State; Data: Pointer; Count: NativeUInt);
{$ENDIF}

var
  { The one that the functions above use. }
  MD5Blocks: TMD5Blocks = {$IFDEF CPUX86_64}{$IFDEF FPC_OBJFPC}@{$ENDIF}MD5BlocksAsm{$ELSE}{$IFDEF FPC_OBJFPC}@{$ENDIF}MD5BlocksPascal{$ENDIF};

implementation

{$IFNDEF FPC}
function RolDWord(X: Cardinal; Bits: Byte): Cardinal; inline;
begin
  Result := (X shl Bits) or (X shr (32 - Bits));
end;
{$ENDIF}

type
  TWords = array[0..15] of Cardinal;
  PWords = ^TWords;

procedure MD5BlocksPascal(var State: TMD5State; Data: Pointer; Count: NativeUInt);
var
  X: PWords;
  a, b, c, d: Cardinal;
  {$IFDEF ENDIAN_BIG}
  Swapped: TWords;
  I: Integer;
  {$ENDIF}
begin
  X := Data;
  while Count > 0 do
  begin
    {$IFDEF ENDIAN_BIG}
    for I := 0 to 15 do
      Swapped[I] := SwapEndian(PWords(Data)^[I]);
    X := @Swapped;
    {$ENDIF}
    a := State[0];
    b := State[1];
    c := State[2];
    d := State[3];
    { Round 1. }
    a := RolDWord(a + X^[0] + $D76AA478 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[1] + $E8C7B756 + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[2] + $242070DB + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[3] + $C1BDCEEE + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[4] + $F57C0FAF + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[5] + $4787C62A + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[6] + $A8304613 + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[7] + $FD469501 + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[8] + $698098D8 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[9] + $8B44F7AF + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[10] + $FFFF5BB1 + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[11] + $895CD7BE + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[12] + $6B901122 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[13] + $FD987193 + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[14] + $A679438E + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[15] + $49B40821 + ((d xor a) and c xor a), 22) + c;
    { Round 2. }
    a := RolDWord(a + X^[1] + $F61E2562 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[6] + $C040B340 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[11] + $265E5A51 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[0] + $E9B6C7AA + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[5] + $D62F105D + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[10] + $02441453 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[15] + $D8A1E681 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[4] + $E7D3FBC8 + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[9] + $21E1CDE6 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[14] + $C33707D6 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[3] + $F4D50D87 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[8] + $455A14ED + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[13] + $A9E3E905 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[2] + $FCEFA3F8 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[7] + $676F02D9 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[12] + $8D2A4C8A + ((not a and d) + (a and c)), 20) + c;
    { Round 3. }
    a := RolDWord(a + X^[5] + $FFFA3942 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[8] + $8771F681 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[11] + $6D9D6122 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[14] + $FDE5380C + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[1] + $A4BEEA44 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[4] + $4BDECFA9 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[7] + $F6BB4B60 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[10] + $BEBFBC70 + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[13] + $289B7EC6 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[0] + $EAA127FA + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[3] + $D4EF3085 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[6] + $04881D05 + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[9] + $D9D4D039 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[12] + $E6DB99E5 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[15] + $1FA27CF8 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[2] + $C4AC5665 + (c xor (d xor a)), 23) + c;
    { Round 4. }
    a := RolDWord(a + X^[0] + $F4292244 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[7] + $432AFF97 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[14] + $AB9423A7 + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[5] + $FC93A039 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[12] + $655B59C3 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[3] + $8F0CCC92 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[10] + $FFEFF47D + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[1] + $85845DD1 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[8] + $6FA87E4F + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[15] + $FE2CE6E0 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[6] + $A3014314 + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[13] + $4E0811A1 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[4] + $F7537E82 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[11] + $BD3AF235 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[2] + $2AD7D2BB + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[9] + $EB86D391 + (d xor (c or not a)), 21) + c;
    Inc(State[0], a);
    Inc(State[1], b);
    Inc(State[2], c);
    Inc(State[3], d);
    Data := PByte(Data) + 64;
    X := Data;
    Dec(Count);
  end;
end;

{$IFDEF CPUX86_64}
{ rdi the state, rsi the block, r8 the end of the message; eax, ecx, edx, r11d are a, b, c, d. }
procedure MD5BlocksAsm(var State: TMD5State; Data: Pointer; Count: NativeUInt); assembler; nostackframe;
asm
  {$IFDEF WIN64}
  { On Windows a function must keep rdi and rsi, and may change xmm4 and xmm5. }
  movq    xmm4, rdi
  movq    xmm5, rsi
  mov     rdi, rcx
  mov     rsi, rdx
  {$ELSE}
  mov     r8, rdx
  {$ENDIF}
  shl     r8, 6
  jz      @done
  add     r8, rsi
  mov     eax, dword ptr [rdi]
  mov     ecx, dword ptr [rdi + 4]
  mov     edx, dword ptr [rdi + 8]
  mov     r11d, dword ptr [rdi + 12]
@next:
  { Round 1. }
  mov     r9d, edx
  add     eax, -680876936
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 0]
  and     r9d, ecx
  xor     r9d, r11d
  add     eax, r9d
  rol     eax, 7
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -389564586
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 4]
  and     r9d, eax
  xor     r9d, edx
  add     r11d, r9d
  rol     r11d, 12
  add     r11d, eax
  mov     r9d, eax
  add     edx, 606105819
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 8]
  and     r9d, r11d
  xor     r9d, ecx
  add     edx, r9d
  rol     edx, 17
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -1044525330
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 12]
  and     r9d, edx
  xor     r9d, eax
  add     ecx, r9d
  rol     ecx, 22
  add     ecx, edx
  mov     r9d, edx
  add     eax, -176418897
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 16]
  and     r9d, ecx
  xor     r9d, r11d
  add     eax, r9d
  rol     eax, 7
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, 1200080426
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 20]
  and     r9d, eax
  xor     r9d, edx
  add     r11d, r9d
  rol     r11d, 12
  add     r11d, eax
  mov     r9d, eax
  add     edx, -1473231341
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 24]
  and     r9d, r11d
  xor     r9d, ecx
  add     edx, r9d
  rol     edx, 17
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -45705983
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 28]
  and     r9d, edx
  xor     r9d, eax
  add     ecx, r9d
  rol     ecx, 22
  add     ecx, edx
  mov     r9d, edx
  add     eax, 1770035416
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 32]
  and     r9d, ecx
  xor     r9d, r11d
  add     eax, r9d
  rol     eax, 7
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -1958414417
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 36]
  and     r9d, eax
  xor     r9d, edx
  add     r11d, r9d
  rol     r11d, 12
  add     r11d, eax
  mov     r9d, eax
  add     edx, -42063
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 40]
  and     r9d, r11d
  xor     r9d, ecx
  add     edx, r9d
  rol     edx, 17
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -1990404162
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 44]
  and     r9d, edx
  xor     r9d, eax
  add     ecx, r9d
  rol     ecx, 22
  add     ecx, edx
  mov     r9d, edx
  add     eax, 1804603682
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 48]
  and     r9d, ecx
  xor     r9d, r11d
  add     eax, r9d
  rol     eax, 7
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -40341101
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 52]
  and     r9d, eax
  xor     r9d, edx
  add     r11d, r9d
  rol     r11d, 12
  add     r11d, eax
  mov     r9d, eax
  add     edx, -1502002290
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 56]
  and     r9d, r11d
  xor     r9d, ecx
  add     edx, r9d
  rol     edx, 17
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, 1236535329
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 60]
  and     r9d, edx
  xor     r9d, eax
  add     ecx, r9d
  rol     ecx, 22
  add     ecx, edx
  { Round 2. }
  mov     r9d, r11d
  add     eax, -165796510
  not     r9d
  add     eax, dword ptr [rsi + 4]
  and     r9d, edx
  mov     r10d, r11d
  add     eax, r9d
  and     r10d, ecx
  add     eax, r10d
  rol     eax, 5
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -1069501632
  not     r9d
  add     r11d, dword ptr [rsi + 24]
  and     r9d, ecx
  mov     r10d, edx
  add     r11d, r9d
  and     r10d, eax
  add     r11d, r10d
  rol     r11d, 9
  add     r11d, eax
  mov     r9d, ecx
  add     edx, 643717713
  not     r9d
  add     edx, dword ptr [rsi + 44]
  and     r9d, eax
  mov     r10d, ecx
  add     edx, r9d
  and     r10d, r11d
  add     edx, r10d
  rol     edx, 14
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -373897302
  not     r9d
  add     ecx, dword ptr [rsi + 0]
  and     r9d, r11d
  mov     r10d, eax
  add     ecx, r9d
  and     r10d, edx
  add     ecx, r10d
  rol     ecx, 20
  add     ecx, edx
  mov     r9d, r11d
  add     eax, -701558691
  not     r9d
  add     eax, dword ptr [rsi + 20]
  and     r9d, edx
  mov     r10d, r11d
  add     eax, r9d
  and     r10d, ecx
  add     eax, r10d
  rol     eax, 5
  add     eax, ecx
  mov     r9d, edx
  add     r11d, 38016083
  not     r9d
  add     r11d, dword ptr [rsi + 40]
  and     r9d, ecx
  mov     r10d, edx
  add     r11d, r9d
  and     r10d, eax
  add     r11d, r10d
  rol     r11d, 9
  add     r11d, eax
  mov     r9d, ecx
  add     edx, -660478335
  not     r9d
  add     edx, dword ptr [rsi + 60]
  and     r9d, eax
  mov     r10d, ecx
  add     edx, r9d
  and     r10d, r11d
  add     edx, r10d
  rol     edx, 14
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -405537848
  not     r9d
  add     ecx, dword ptr [rsi + 16]
  and     r9d, r11d
  mov     r10d, eax
  add     ecx, r9d
  and     r10d, edx
  add     ecx, r10d
  rol     ecx, 20
  add     ecx, edx
  mov     r9d, r11d
  add     eax, 568446438
  not     r9d
  add     eax, dword ptr [rsi + 36]
  and     r9d, edx
  mov     r10d, r11d
  add     eax, r9d
  and     r10d, ecx
  add     eax, r10d
  rol     eax, 5
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -1019803690
  not     r9d
  add     r11d, dword ptr [rsi + 56]
  and     r9d, ecx
  mov     r10d, edx
  add     r11d, r9d
  and     r10d, eax
  add     r11d, r10d
  rol     r11d, 9
  add     r11d, eax
  mov     r9d, ecx
  add     edx, -187363961
  not     r9d
  add     edx, dword ptr [rsi + 12]
  and     r9d, eax
  mov     r10d, ecx
  add     edx, r9d
  and     r10d, r11d
  add     edx, r10d
  rol     edx, 14
  add     edx, r11d
  mov     r9d, eax
  add     ecx, 1163531501
  not     r9d
  add     ecx, dword ptr [rsi + 32]
  and     r9d, r11d
  mov     r10d, eax
  add     ecx, r9d
  and     r10d, edx
  add     ecx, r10d
  rol     ecx, 20
  add     ecx, edx
  mov     r9d, r11d
  add     eax, -1444681467
  not     r9d
  add     eax, dword ptr [rsi + 52]
  and     r9d, edx
  mov     r10d, r11d
  add     eax, r9d
  and     r10d, ecx
  add     eax, r10d
  rol     eax, 5
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -51403784
  not     r9d
  add     r11d, dword ptr [rsi + 8]
  and     r9d, ecx
  mov     r10d, edx
  add     r11d, r9d
  and     r10d, eax
  add     r11d, r10d
  rol     r11d, 9
  add     r11d, eax
  mov     r9d, ecx
  add     edx, 1735328473
  not     r9d
  add     edx, dword ptr [rsi + 28]
  and     r9d, eax
  mov     r10d, ecx
  add     edx, r9d
  and     r10d, r11d
  add     edx, r10d
  rol     edx, 14
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -1926607734
  not     r9d
  add     ecx, dword ptr [rsi + 48]
  and     r9d, r11d
  mov     r10d, eax
  add     ecx, r9d
  and     r10d, edx
  add     ecx, r10d
  rol     ecx, 20
  add     ecx, edx
  { Round 3. }
  mov     r9d, edx
  add     eax, -378558
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 20]
  xor     r9d, ecx
  add     eax, r9d
  rol     eax, 4
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -2022574463
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 32]
  xor     r9d, eax
  add     r11d, r9d
  rol     r11d, 11
  add     r11d, eax
  mov     r9d, eax
  add     edx, 1839030562
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 44]
  xor     r9d, r11d
  add     edx, r9d
  rol     edx, 16
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -35309556
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 56]
  xor     r9d, edx
  add     ecx, r9d
  rol     ecx, 23
  add     ecx, edx
  mov     r9d, edx
  add     eax, -1530992060
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 4]
  xor     r9d, ecx
  add     eax, r9d
  rol     eax, 4
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, 1272893353
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 16]
  xor     r9d, eax
  add     r11d, r9d
  rol     r11d, 11
  add     r11d, eax
  mov     r9d, eax
  add     edx, -155497632
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 28]
  xor     r9d, r11d
  add     edx, r9d
  rol     edx, 16
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -1094730640
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 40]
  xor     r9d, edx
  add     ecx, r9d
  rol     ecx, 23
  add     ecx, edx
  mov     r9d, edx
  add     eax, 681279174
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 52]
  xor     r9d, ecx
  add     eax, r9d
  rol     eax, 4
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -358537222
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 0]
  xor     r9d, eax
  add     r11d, r9d
  rol     r11d, 11
  add     r11d, eax
  mov     r9d, eax
  add     edx, -722521979
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 12]
  xor     r9d, r11d
  add     edx, r9d
  rol     edx, 16
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, 76029189
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 24]
  xor     r9d, edx
  add     ecx, r9d
  rol     ecx, 23
  add     ecx, edx
  mov     r9d, edx
  add     eax, -640364487
  xor     r9d, r11d
  add     eax, dword ptr [rsi + 36]
  xor     r9d, ecx
  add     eax, r9d
  rol     eax, 4
  add     eax, ecx
  mov     r9d, ecx
  add     r11d, -421815835
  xor     r9d, edx
  add     r11d, dword ptr [rsi + 48]
  xor     r9d, eax
  add     r11d, r9d
  rol     r11d, 11
  add     r11d, eax
  mov     r9d, eax
  add     edx, 530742520
  xor     r9d, ecx
  add     edx, dword ptr [rsi + 60]
  xor     r9d, r11d
  add     edx, r9d
  rol     edx, 16
  add     edx, r11d
  mov     r9d, r11d
  add     ecx, -995338651
  xor     r9d, eax
  add     ecx, dword ptr [rsi + 8]
  xor     r9d, edx
  add     ecx, r9d
  rol     ecx, 23
  add     ecx, edx
  { Round 4. }
  mov     r9d, r11d
  add     eax, -198630844
  not     r9d
  add     eax, dword ptr [rsi + 0]
  or      r9d, ecx
  xor     r9d, edx
  add     eax, r9d
  rol     eax, 6
  add     eax, ecx
  mov     r9d, edx
  add     r11d, 1126891415
  not     r9d
  add     r11d, dword ptr [rsi + 28]
  or      r9d, eax
  xor     r9d, ecx
  add     r11d, r9d
  rol     r11d, 10
  add     r11d, eax
  mov     r9d, ecx
  add     edx, -1416354905
  not     r9d
  add     edx, dword ptr [rsi + 56]
  or      r9d, r11d
  xor     r9d, eax
  add     edx, r9d
  rol     edx, 15
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -57434055
  not     r9d
  add     ecx, dword ptr [rsi + 20]
  or      r9d, edx
  xor     r9d, r11d
  add     ecx, r9d
  rol     ecx, 21
  add     ecx, edx
  mov     r9d, r11d
  add     eax, 1700485571
  not     r9d
  add     eax, dword ptr [rsi + 48]
  or      r9d, ecx
  xor     r9d, edx
  add     eax, r9d
  rol     eax, 6
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -1894986606
  not     r9d
  add     r11d, dword ptr [rsi + 12]
  or      r9d, eax
  xor     r9d, ecx
  add     r11d, r9d
  rol     r11d, 10
  add     r11d, eax
  mov     r9d, ecx
  add     edx, -1051523
  not     r9d
  add     edx, dword ptr [rsi + 40]
  or      r9d, r11d
  xor     r9d, eax
  add     edx, r9d
  rol     edx, 15
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -2054922799
  not     r9d
  add     ecx, dword ptr [rsi + 4]
  or      r9d, edx
  xor     r9d, r11d
  add     ecx, r9d
  rol     ecx, 21
  add     ecx, edx
  mov     r9d, r11d
  add     eax, 1873313359
  not     r9d
  add     eax, dword ptr [rsi + 32]
  or      r9d, ecx
  xor     r9d, edx
  add     eax, r9d
  rol     eax, 6
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -30611744
  not     r9d
  add     r11d, dword ptr [rsi + 60]
  or      r9d, eax
  xor     r9d, ecx
  add     r11d, r9d
  rol     r11d, 10
  add     r11d, eax
  mov     r9d, ecx
  add     edx, -1560198380
  not     r9d
  add     edx, dword ptr [rsi + 24]
  or      r9d, r11d
  xor     r9d, eax
  add     edx, r9d
  rol     edx, 15
  add     edx, r11d
  mov     r9d, eax
  add     ecx, 1309151649
  not     r9d
  add     ecx, dword ptr [rsi + 52]
  or      r9d, edx
  xor     r9d, r11d
  add     ecx, r9d
  rol     ecx, 21
  add     ecx, edx
  mov     r9d, r11d
  add     eax, -145523070
  not     r9d
  add     eax, dword ptr [rsi + 16]
  or      r9d, ecx
  xor     r9d, edx
  add     eax, r9d
  rol     eax, 6
  add     eax, ecx
  mov     r9d, edx
  add     r11d, -1120210379
  not     r9d
  add     r11d, dword ptr [rsi + 44]
  or      r9d, eax
  xor     r9d, ecx
  add     r11d, r9d
  rol     r11d, 10
  add     r11d, eax
  mov     r9d, ecx
  add     edx, 718787259
  not     r9d
  add     edx, dword ptr [rsi + 8]
  or      r9d, r11d
  xor     r9d, eax
  add     edx, r9d
  rol     edx, 15
  add     edx, r11d
  mov     r9d, eax
  add     ecx, -343485551
  not     r9d
  add     ecx, dword ptr [rsi + 36]
  or      r9d, edx
  xor     r9d, r11d
  add     ecx, r9d
  rol     ecx, 21
  add     ecx, edx
  add     eax, dword ptr [rdi]
  add     ecx, dword ptr [rdi + 4]
  add     edx, dword ptr [rdi + 8]
  add     r11d, dword ptr [rdi + 12]
  mov     dword ptr [rdi], eax
  mov     dword ptr [rdi + 4], ecx
  mov     dword ptr [rdi + 8], edx
  mov     dword ptr [rdi + 12], r11d
  add     rsi, 64
  cmp     rsi, r8
  jne     @next
@done:
  {$IFDEF WIN64}
  movq    rdi, xmm4
  movq    rsi, xmm5
  {$ENDIF}
end;
{$ENDIF}

procedure MD5Init(out Context: TMD5Context);
begin
  Context := Default(TMD5Context);
  Context.State[0] := $67452301;
  Context.State[1] := $EFCDAB89;
  Context.State[2] := $98BADCFE;
  Context.State[3] := $10325476;
end;

procedure MD5Update(var Context: TMD5Context; Data: Pointer; Len: NativeUInt);
var
  Kept, Take: NativeUInt;
begin
  Kept := Context.Len and 63;
  Inc(Context.Len, Len);
  if Kept > 0 then
  begin
    Take := 64 - Kept;
    if Take > Len then
      Take := Len;
    Move(Data^, Context.Rest[Kept], Take);
    Data := PByte(Data) + Take;
    Dec(Len, Take);
    if Kept + Take < 64 then
      Exit;
    MD5Blocks(Context.State, @Context.Rest, 1);
  end;
  MD5Blocks(Context.State, Data, Len div 64);
  if Len and 63 > 0 then
    Move(PByte(Data)[Len and not NativeUInt(63)], Context.Rest, Len and 63);
end;

procedure MD5Final(var Context: TMD5Context; out Digest: TMD5Digest);
var
  Bits: UInt64;
  Kept: NativeUInt;
  I: Integer;
begin
  Bits := Context.Len shl 3;
  Kept := Context.Len and 63;
  Context.Rest[Kept] := $80;
  Inc(Kept);
  if Kept > 56 then
  begin
    FillChar(Context.Rest[Kept], 64 - Kept, 0);
    MD5Blocks(Context.State, @Context.Rest, 1);
    Kept := 0;
  end;
  FillChar(Context.Rest[Kept], 56 - Kept, 0);
  for I := 0 to 7 do
    Context.Rest[56 + I] := Byte(Bits shr (8 * I));
  MD5Blocks(Context.State, @Context.Rest, 1);
  for I := 0 to 15 do
    Digest[I] := Byte(Context.State[I div 4] shr (8 * (I mod 4)));
  Context := Default(TMD5Context);
end;

function MD5(Data: Pointer; Len: NativeUInt): TMD5Digest;
var
  Context: TMD5Context;
begin
  MD5Init(Context);
  MD5Update(Context, Data, Len);
  MD5Final(Context, Result);
end;

end.
